import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { errorText, resultsModes, ToolError } from "@toolpacks/core";
import { exitOnStdoutError, stackLines, writeStdout } from "@toolpacks/core/terminal";
import { surfaceNames } from "@toolpacks/surface";
import type { CallerFlags } from "./commands/accept.ts";
import type { ImportFlags } from "./commands/import-clients.ts";
import type { RelayFlags } from "./commands/relay.ts";
import type { SearchFlags } from "./commands/search.ts";
import type { TrustFlags } from "./commands/trust.ts";
import { addTokenCommands } from "./commands/token-commands.ts";
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

const callerHelp = "caller of a server with identity caller: the id of a principal, or the name of its token";

const program = new Command("toolpacks")
  .description("An MCP server that mounts many tool packs behind a tool list of constant size.")
  .version(version)
  .addHelpText("after", "\nGet started: toolpacks --root .\nAll flags of the server: toolpacks serve --help")
  .configureOutput({ writeOut: (text) => void writeStdout(text) })
  .exitOverride();

addHostFlags(
  addMountFlags(program.command("serve", { isDefault: true }).description("serve MCP over stdio (the default)")),
)
  .option("--watch", "reload the config file when it changes")
  .action(async (flags: ServeFlags) => (await import("./commands/serve.ts")).serve(flags, selectHost(flags).open));

addMountFlags(program.command("tools").description("list the mounted tools by facet"))
  .option("--json", "print JSON")
  .action(async (flags: Flags & { json?: boolean }) => (await import("./commands/tools.ts")).tools(flags));

addMountFlags(program.command("budget").description("show the tokens of each tool, pack and surface, and the budgets"))
  .option("--check", "exit with code 1 if a pack or surface exceeds its budget")
  .option("--json", "print JSON")
  .action(async (flags: Flags & { check?: boolean; json?: boolean }) =>
    (await import("./commands/budget.ts")).budget(flags),
  );

addMountFlags(program.command("call").description("call one tool and print its result"))
  .argument("<tool>", "name of the tool")
  .argument("[args]", "arguments of the tool as JSON", parseArguments, {})
  .option("--json", "print the structured result as JSON")
  .action(async (tool: string, args: unknown, flags: Flags & { json?: boolean }) =>
    (await import("./commands/call.ts")).call({ tool, args }, flags),
  );

addMountFlags(program.command("search").description("rank tools for a sentence, as tool_search does"))
  .argument("[sentence]", "one action that a tool should do, in plain words")
  .option("--catalog <file>", "rank the tools in a JSON or JSONL file: {name, description, inputSchema?, pack?}")
  .option("--queries <file>", "answer each {query} of a JSONL file")
  .option("--limit <count>", "maximum number of tools per sentence", parseCount, 10)
  .option("--json", "print one JSON line per sentence: {query, names, ms}")
  .action(async (sentence: string | undefined, flags: Flags & SearchFlags) =>
    (await import("./commands/search.ts")).search(sentence, flags),
  );

addMountFlags(
  program.command("doctor").description("check the config, packs, servers and store, and print all problems"),
)
  .option("--caller <principal>", callerHelp)
  .option("--require <tools>", "exit with code 1 if one of these tools cannot be called", splitNames)
  .option("--json", "print JSON")
  .action(async (flags: CallerFlags & { require?: string[]; json?: boolean }) =>
    (await import("./commands/doctor.ts")).doctor(flags),
  );

addMountFlags(program.command("accept").description("accept the current tools of another server and show the changes"))
  .argument("<server>", "facet of the server: its name in mcpServers")
  .option("--caller <principal>", callerHelp)
  .action(async (server: string, flags: CallerFlags) => (await import("./commands/accept.ts")).accept(server, flags));

addMountFlags(program.command("sign-in").description("sign in to another server with OAuth in a browser"))
  .argument("<server>", "facet of the server: its name in mcpServers")
  .option("--caller <principal>", callerHelp)
  .option("--no-browser", "print the address and do not open a browser")
  .action(async (server: string, flags: CallerFlags & { browser?: boolean }) =>
    (await import("./commands/sign-in.ts")).signIn(server, flags),
  );

program
  .command("trust")
  .description("show what a project's config file would run and allow, and trust its current content")
  .argument("[dir]", "folder where the search for the file starts, upward (default: the current folder)")
  .option("-y, --yes", "trust the file without asking")
  .option("--list", "list the trusted files")
  .option("--revoke", "stop trusting the file")
  .action(async (dir: string | undefined, flags: TrustFlags) =>
    (await import("./commands/trust.ts")).trust(dir, flags),
  );

program
  .command("relay")
  .description("relay between a client and another server, and replace its large results by handles")
  .usage("[options] -- <command> [args...]  |  [options] --url <address>")
  .argument("[command...]", "command that starts the server")
  .option("--url <address>", "address of a Streamable HTTP server, instead of a command")
  .option("--header <line>", "HTTP header for --url, as `Name: value` (repeatable)", collect)
  .option(
    "--values <folder>",
    "keep values in this folder for a day (default: in a private folder, until the relay ends)",
  )
  .option(
    "--threshold-tokens <count>",
    "tokens of a result from which it is replaced by a handle (default: 4000)",
    parseCount,
  )
  .option("--max-message-bytes <bytes>", "maximum size of a message (default: 67108864)", parseCount)
  .addOption(new Option("--boxing <mode>", "form of handles in results").choices(["opaque", "json"]))
  .action(async (command: string[], flags: RelayFlags) => (await import("./commands/relay.ts")).relay(command, flags));

program
  .command("import-clients")
  .description(
    "find the servers in the settings of Claude, Cursor, VS Code and Windsurf, and move them behind toolpacks",
  )
  .option("--apply", "move the servers, with a backup of every changed file (default: only show them)")
  .option("--undo", "restore every file that --apply changed from its backup, unless the file has changed since")
  .option("--only <names>", "move only these servers", splitNames)
  .option("--shared", "include files that a project shares: .mcp.json, .cursor/mcp.json, .vscode/mcp.json")
  .option("--to <file>", "config file that receives the servers (default: in the user's settings folder)")
  .action(async (flags: ImportFlags) => (await import("./commands/import-clients.ts")).importClients(flags));

addStoreFlags(program.command("backup").description("copy the store to a new file, also while it is in use"))
  .argument("<file>", "path of the new file; it must not exist")
  .action(async (file: string, flags: Flags) => (await import("./commands/backup.ts")).backup(file, flags));

addStoreFlags(program.command("export").description("write all records of the store as JSON lines"))
  .argument("[file]", "path of the new file; it must not exist; - for stdout (default: stdout)")
  .option("--graph", "export only the knowledge of one workspace, in the format of the official memory server")
  .option("--workspace <id>", "workspace whose knowledge is exported (default: default)")
  .action(async (file: string | undefined, flags: Flags & { graph?: boolean }) =>
    (await import("./commands/export.ts")).exportStore(file, flags),
  );

addStoreFlags(program.command("import").description("import the JSON lines of an export into the store, all or none"))
  .argument("<file>", "path of the file; - for stdin")
  .option("--graph", "import entities and relations in the format of the official memory server")
  .option("--workspace <id>", "workspace that receives the knowledge (default: default)")
  .action(async (file: string, flags: Flags & { graph?: boolean }) =>
    (await import("./commands/import.ts")).importStore(file, flags),
  );

const workspaces = program.command("workspaces").description("list, rename and join workspaces");

addWorkspaceFlags(
  workspaces
    .command("list", { isDefault: true })
    .description("list the workspaces of the store and of this machine's folders"),
)
  .option("--root <dir>", "mark the workspace of this folder (default: the current folder)", (dir: string) => [dir])
  .action(async (flags: WorkspacesFlags) => (await import("./commands/workspaces.ts")).listWorkspaces(flags));

addWorkspaceFlags(workspaces.command("rename").description("change the name of a workspace; its id stays"))
  .argument("<workspace>", "id of the workspace, or its name if no other workspace has this name")
  .argument("<name>", "the new name")
  .action(async (named: string, name: string, flags: WorkspacesFlags) =>
    (await import("./commands/workspaces.ts")).renameWorkspace({ named, name }, flags),
  );

addWorkspaceFlags(workspaces.command("join").description("let a folder use another workspace; records are not moved"))
  .argument("<workspace>", "id of the workspace, or its name if no other workspace has this name")
  .argument("[dir]", "folder (default: the current folder)")
  .action(async (named: string, directory: string | undefined, flags: WorkspacesFlags) =>
    (await import("./commands/workspaces.ts")).joinWorkspace({ named, directory }, flags),
  );

const issues = program.command("issues").description("import and show the issues of a project");

addIssueFlags(issues.command("import").description("import issues from the JSONL of beads"))
  .argument("<file>", "path of the file; - for stdin")
  .option("--strict", "import nothing if a line is invalid")
  .action(async (file: string, flags: Flags & { strict?: boolean }) =>
    (await import("./commands/issues-import.ts")).importIssueFile(file, flags),
  );

addIssueFlags(issues.command("board").description("show ready, in-progress, blocked and recently closed issues"))
  .option("--watch", "update the board after every change")
  .action(async (flags: Flags) => (await import("./commands/issues-board.ts")).showBoard(flags));

addTokenCommands(program);

program
  .command("config")
  .description("print the schema of the config file")
  .command("schema")
  .description("print the JSON Schema of the config file")
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
    .option(
      "--config <file>",
      "config file (default: the nearest toolpacks.config.{jsonc,json,yaml,toml}, found upward)",
    )
    .option("--trust", "apply the whole config file even if it is not trusted (for CI)")
    .option("--expose <facets>", "facets whose tools are listed, such as core,filesystem", splitNames)
    .option("--deny <names>", "facets and tools that are not listed, found or called", splitNames)
    .addOption(new Option("--surface <name>", "how tools are listed").choices([...surfaceNames]))
    .option("--facet <name>", "mount only this pack and list its tools directly")
    .option("--root <dir>", "folder whose files the tools may access (repeatable)", collect)
    .option(
      "--store <address>",
      `store of the records: ${shortAddressFormats} (default: a file in the user's data folder)`,
    )
    .option("--workspace <id>", "workspace of the records (default: the workspace of the first root)")
    .option("--write", "enable the tools that change files")
    .option("--read-only", "refuse all tools that change anything")
    .addOption(new Option("--results <form>", "form of results").choices([...resultsModes]))
    .addOption(new Option("--log-level <level>", "minimum level of the log on stderr").choices([...logLevels]));
}

/** Adds the flags of each host. */
function addHostFlags(command: Command): Command {
  for (const option of hosts.flatMap(({ options }) => options)) command.addOption(option);
  return command;
}

/** Adds the flags that select the store. */
function addStoreFlags(command: Command): Command {
  return command
    .option(
      "--config <file>",
      "config file (default: the nearest toolpacks.config.{jsonc,json,yaml,toml}, found upward)",
    )
    .option("--trust", "apply the whole config file even if it is not trusted (for CI)")
    .option("--store <address>", `store: ${shortAddressFormats} (default: a file in the user's data folder)`);
}

/** Adds the flags of the workspace commands. */
function addWorkspaceFlags(command: Command): Command {
  return addStoreFlags(command).option("--json", "print JSON");
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
    .option("--root <dir>", "folder of the project", (dir: string) => [dir])
    .option("--workspace <id>", "workspace of the issues (default: the workspace of the root)");
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new InvalidArgumentError(`expected JSON (${errorText(error)})`);
  }
}
