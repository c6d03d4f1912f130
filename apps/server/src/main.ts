import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { errorText, resultsModes, ToolError } from "@toolpacks/core";
import { exitOnStdoutError, stackLines, writeStdout } from "@toolpacks/core/terminal";
import { surfaceNames } from "@toolpacks/surface";
import type { ImportFlags } from "./commands/import-clients.ts";
import type { RelayFlags } from "./commands/relay.ts";
import type { SearchFlags } from "./commands/search.ts";
import type { TrustFlags } from "./commands/trust.ts";
import type { WorkspacesFlags } from "./commands/workspaces.ts";
import { splitNames, type Flags } from "./config/settings.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { hosts, selectHost, type ServeFlags } from "./hosts/hosts.ts";
import { logLevels } from "./log.ts";
import { printError } from "./print.ts";
import { shortAddressFormats } from "./stores/bundled-drivers.ts";
import { version } from "./version.ts";

/** Exit code for an error in flags, environment or config file. */
const configurationExitCode = 2;

const program = new Command("toolpacks")
  .description("An MCP server that mounts many tool packs behind a tool list that stays the same size.")
  .version(version)
  .addHelpText("after", "\nTo begin: toolpacks --root .\nEvery flag of the server: toolpacks serve --help")
  .configureOutput({ writeOut: (text) => void writeStdout(text) })
  .exitOverride();

addHostFlags(
  addMountFlags(program.command("serve", { isDefault: true }).description("serve MCP over stdio (the default)")),
)
  .option("--watch", "apply changes of the config file while running")
  .action(async (flags: ServeFlags) => (await import("./commands/serve.ts")).serve(flags, selectHost(flags).open));

addMountFlags(program.command("tools").description("list what is mounted, per facet"))
  .option("--json", "as JSON")
  .action(async (flags: Flags & { json?: boolean }) => (await import("./commands/tools.ts")).tools(flags));

addMountFlags(program.command("budget").description("tokens per tool, pack and surface, against each budget"))
  .option("--check", "exit 1 when something is over its budget")
  .option("--json", "as JSON")
  .action(async (flags: Flags & { check?: boolean; json?: boolean }) =>
    (await import("./commands/budget.ts")).budget(flags),
  );

addMountFlags(program.command("call").description("call one tool, as a script would"))
  .argument("<tool>", "a tool's name")
  .argument("[args]", "its arguments as JSON", parseArguments, {})
  .option("--json", "answer the structured result as JSON")
  .action(async (tool: string, args: unknown, flags: Flags & { json?: boolean }) =>
    (await import("./commands/call.ts")).call({ tool, args }, flags),
  );

addMountFlags(program.command("search").description("rank tools by a sentence, as tool_search does"))
  .argument("[sentence]", "what a tool should do; one step, in plain words")
  .option("--catalog <file>", "rank the tools of this file: {name, description, inputSchema?, pack?} as JSON or JSONL")
  .option("--queries <file>", "a sentence per line: {query} as JSONL")
  .option("--limit <count>", "how many tools per sentence", parseCount, 10)
  .option("--json", "one line per sentence: {query, names, ms}")
  .action(async (sentence: string | undefined, flags: Flags & SearchFlags) =>
    (await import("./commands/search.ts")).search(sentence, flags),
  );

addMountFlags(program.command("doctor").description("show what would be mounted, from which config, and all problems"))
  .option("--require <tools>", "exit 1 when one of these would not be callable", splitNames)
  .option("--json", "as JSON")
  .action(async (flags: Flags & { require?: string[]; json?: boolean }) =>
    (await import("./commands/doctor.ts")).doctor(flags),
  );

addMountFlags(program.command("accept").description("accept the current tool descriptions of another server"))
  .argument("<server>", "its facet")
  .action(async (server: string, flags: Flags) => (await import("./commands/accept.ts")).accept(server, flags));

addMountFlags(program.command("sign-in").description("sign in to another server with OAuth, in a browser"))
  .argument("<server>", "its facet")
  .option("--no-browser", "show the address alone")
  .action(async (server: string, flags: Flags & { browser?: boolean }) =>
    (await import("./commands/sign-in.ts")).signIn(server, flags),
  );

program
  .command("trust")
  .description("show what a project's config file would run and allow, and trust it as it is now")
  .argument("[dir]", "where to look for the file, upward (default: here)")
  .option("-y, --yes", "trust it without a question")
  .option("--list", "the files that are trusted")
  .option("--revoke", "trust it no longer")
  .action(async (dir: string | undefined, flags: TrustFlags) =>
    (await import("./commands/trust.ts")).trust(dir, flags),
  );

program
  .command("relay")
  .description("stand between a client and another server, and keep its large results out of the conversation")
  .usage("[options] -- <command> [args...]  |  [options] --url <address>")
  .argument("[command...]", "the server, as its client would start it")
  .option("--url <address>", "a server over Streamable HTTP in place of a command")
  .option("--header <line>", "sent to it, as `Name: value` (repeatable)", collect)
  .option("--values <folder>", "keep values there, for a day (default: until this ends, in a folder of its own)")
  .option("--threshold <bytes>", "how large a result must be (default: 16384)", parseCount)
  .option("--max-message-bytes <bytes>", "how large a message may be (default: 67108864)", parseCount)
  .addOption(new Option("--boxing <mode>", "how a handle stands in a result").choices(["opaque", "json"]))
  .action(async (command: string[], flags: RelayFlags) => (await import("./commands/relay.ts")).relay(command, flags));

program
  .command("import-clients")
  .description("find the servers that Claude, Cursor, VS Code and Windsurf start, and move them behind toolpacks")
  .option("--apply", "move them, with a backup of every file")
  .option("--undo", "restore every file that --apply changed from its backup, unless it was changed since")
  .option("--only <names>", "these servers alone", splitNames)
  .option("--shared", "those of files that a project shares, too: .mcp.json, .cursor/mcp.json, .vscode/mcp.json")
  .option("--to <file>", "the config file to move them to (default: in the user's settings folder)")
  .action(async (flags: ImportFlags) => (await import("./commands/import-clients.ts")).importClients(flags));

addStoreFlags(program.command("backup").description("copy the store to a new file while others write"))
  .argument("<file>", "a file that is not there yet")
  .action(async (file: string, flags: Flags) => (await import("./commands/backup.ts")).backup(file, flags));

addStoreFlags(program.command("export").description("write everything in the store as JSON lines"))
  .argument("[file]", "a file that is not there yet, or - for stdout (default: stdout)")
  .option("--graph", "a workspace's knowledge alone, as the official memory server keeps it")
  .option("--workspace <id>", "workspace of the knowledge (default: default)")
  .action(async (file: string | undefined, flags: Flags & { graph?: boolean }) =>
    (await import("./commands/export.ts")).exportStore(file, flags),
  );

addStoreFlags(program.command("import").description("read JSON lines that export wrote into the store, all or none"))
  .argument("<file>", "the file, or - for stdin")
  .option("--graph", "the file is one of the official memory server: entities and relations")
  .option("--workspace <id>", "where its knowledge goes (default: default)")
  .action(async (file: string, flags: Flags & { graph?: boolean }) =>
    (await import("./commands/import.ts")).importStore(file, flags),
  );

const workspaces = program.command("workspaces").description("which folders' records are kept together");

addWorkspaceFlags(
  workspaces.command("list", { isDefault: true }).description("those of the store and of this machine's folders"),
)
  .option("--root <dir>", "mark the one of this directory (default: the current one)", (dir: string) => [dir])
  .action(async (flags: WorkspacesFlags) => (await import("./commands/workspaces.ts")).listWorkspaces(flags));

addWorkspaceFlags(workspaces.command("rename").description("give a workspace another name; its id stays"))
  .argument("<workspace>", "its id, or its name where no other has it")
  .argument("<name>", "the new name")
  .action(async (named: string, name: string, flags: WorkspacesFlags) =>
    (await import("./commands/workspaces.ts")).renameWorkspace({ named, name }, flags),
  );

addWorkspaceFlags(workspaces.command("join").description("let a folder use another workspace; no record moves"))
  .argument("<workspace>", "its id, or its name where no other has it")
  .argument("[dir]", "the folder (default: the current one)")
  .action(async (named: string, directory: string | undefined, flags: WorkspacesFlags) =>
    (await import("./commands/workspaces.ts")).joinWorkspace({ named, directory }, flags),
  );

const issues = program.command("issues").description("the issues of a project");

addIssueFlags(issues.command("import").description("read issues as beads writes them, one JSON object per line"))
  .argument("<file>", "the file, or - for stdin")
  .option("--strict", "import nothing when one line is bad")
  .action(async (file: string, flags: Flags & { strict?: boolean }) =>
    (await import("./commands/issues-import.ts")).importIssueFile(file, flags),
  );

addIssueFlags(issues.command("board").description("what is ready, in progress, blocked and closed lately"))
  .option("--watch", "show it again after every change")
  .action(async (flags: Flags) => (await import("./commands/issues-board.ts")).showBoard(flags));

program
  .command("config")
  .description("about the config file")
  .command("schema")
  .description("its JSON Schema")
  .action(async () => (await import("./commands/config-schema.ts")).printConfigSchema());

// `serve` and `relay` handle errors of stdout themselves.
program.hook("preAction", (_, command) => {
  if (!["serve", "relay"].includes(command.name())) exitOnStdoutError("toolpacks");
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : configurationExitCode);
  if (error instanceof ConfigurationError) {
    printError(`toolpacks: ${error.message}`);
    process.exit(configurationExitCode);
  }
  if (ToolError.is(error)) {
    const { code, message, hint } = error;
    printError(`toolpacks: ${code}: ${message}`, ...(hint === undefined ? [] : [hint]));
    process.exit(1);
  }
  // Print the stack ourselves: Node would print the source line, and the bundle is one line.
  const [first = "", ...others] = stackLines(error);
  printError(`toolpacks: ${first}`, ...others);
  process.exit(1);
}

/** Adds the flags that decide what is mounted. */
function addMountFlags(command: Command): Command {
  return command
    .option("--config <file>", "config file (default: toolpacks.config.{jsonc,json,yaml,toml}, found upward)")
    .option("--trust", "apply all that the config file says, without asking whether it is trusted: for CI")
    .option("--expose <facets>", "facets that are listed, such as core,filesystem", splitNames)
    .option("--deny <names>", "facets and tools that can be neither listed, found nor called", splitNames)
    .addOption(new Option("--surface <name>", "how tools are listed").choices([...surfaceNames]))
    .option("--facet <name>", "mount this one pack alone, its tools listed directly")
    .option("--root <dir>", "directory within which files may be reached (repeatable)", collect)
    .option("--store <address>", `where records live: ${shortAddressFormats} (default: in the user's data folder)`)
    .option("--workspace <id>", "the workspace that records belong to (default: the first root's)")
    .option("--write", "offer the tools that change files")
    .option("--read-only", "refuse every tool that mutates")
    .addOption(new Option("--results <form>", "form of results").choices([...resultsModes]))
    .addOption(new Option("--log-level <level>", "log level on stderr").choices([...logLevels]));
}

/** Adds the flags of each host. */
function addHostFlags(command: Command): Command {
  for (const option of hosts.flatMap(({ options }) => options)) command.addOption(option);
  return command;
}

/** Adds the flags that select the store. */
function addStoreFlags(command: Command): Command {
  return command
    .option("--config <file>", "config file (default: toolpacks.config.{jsonc,json,yaml,toml}, found upward)")
    .option("--trust", "apply all that the config file says, without asking whether it is trusted: for CI")
    .option("--store <address>", `${shortAddressFormats} (default: in the user's data folder)`);
}

/** Adds the flags of the workspace commands. */
function addWorkspaceFlags(command: Command): Command {
  return addStoreFlags(command).option("--json", "as JSON");
}

function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("expected a whole number from 1");
  return count;
}

function collect(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one];
}

/** Adds the flags that select the issues of a project. */
function addIssueFlags(command: Command): Command {
  return addStoreFlags(command)
    .option("--root <dir>", "a directory of the project", (dir: string) => [dir])
    .option("--workspace <id>", "the workspace (default: the root's)");
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new InvalidArgumentError(`expected JSON (${errorText(error)})`);
  }
}
