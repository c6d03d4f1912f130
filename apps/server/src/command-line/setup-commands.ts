import type { Command } from "commander";
import type { CallerFlags } from "../commands/accept.ts";
import type { ImportFlags } from "../commands/import-clients.ts";
import type { InitFlags } from "../commands/init.ts";
import type { ModelsFlags } from "../commands/models.ts";
import type { TrustFlags } from "../commands/trust.ts";
import { splitNames } from "../config/settings.ts";
import { addHookCommands } from "./brief-commands.ts";
import { addMountFlags, addStoreFlags, collect } from "./flags.ts";

const callerHelp = "caller of a server with identity caller: the id of a principal, or the name of its token";

/** Adds the commands that set up and check the server. */
export function addSetupCommands(program: Command): void {
  addClientCommands(program);
  addHookCommands(program);

  addMountFlags(
    program.command("doctor").description("check the config, packs, servers and store, and print all problems"),
  )
    .option("--caller <principal>", callerHelp)
    .option("--tokens <file>", "check this token file, which serve --http would use")
    .option("--require <tools>", "exit with code 1 if one of these tools cannot be called", splitNames)
    .option("--json", "print JSON")
    .action(async (flags: CallerFlags & { require?: string[]; json?: boolean }) =>
      (await import("../commands/doctor.ts")).doctor(flags),
    );

  addStoreFlags(program.command("models").description("list the models with their keys, prices, budgets and use (UTC)"))
    .option("--check", "ask each endpoint if it responds; no model is asked")
    .option("--json", "print JSON")
    .action(async (flags: ModelsFlags) => (await import("../commands/models.ts")).listModels(flags));

  program
    .command("trust")
    .description("show what a project's config file would run and allow, and trust its current content")
    .argument("[dir]", "folder where the search for the file starts, upward (default: the current folder)")
    .option("-y, --yes", "trust the file without asking")
    .option("--list", "list the trusted files")
    .option("--revoke", "stop trusting the file")
    .option("--json", "print the list as JSON")
    .action(async (dir: string | undefined, flags: TrustFlags) =>
      (await import("../commands/trust.ts")).trust(dir, flags),
    );

  addMountFlags(
    program.command("accept").description("accept the current tools of another server and show the changes"),
  )
    .argument("<server>", "facet of the server: its name in mcpServers")
    .option("--caller <principal>", callerHelp)
    .option("--json", "print the changes as JSON")
    .action(async (server: string, flags: CallerFlags & { json?: boolean }) =>
      (await import("../commands/accept.ts")).accept(server, flags),
    );

  addMountFlags(program.command("sign-in").description("sign in to another server with OAuth in a browser"))
    .argument("<server>", "facet of the server: its name in mcpServers")
    .option("--caller <principal>", callerHelp)
    .option("--no-browser", "print the address and do not open a browser")
    .action(async (server: string, flags: CallerFlags & { browser?: boolean }) =>
      (await import("../commands/sign-in.ts")).signIn(server, flags),
    );

  program
    .command("config")
    .description("print the schema of the config file")
    .command("schema")
    .description("print the JSON Schema of the config file")
    .action(async () => (await import("../commands/config-schema.ts")).printConfigSchema());
}

/** Adds the commands that change the config files of clients. */
function addClientCommands(program: Command): void {
  program
    .command("init")
    .description("add toolpacks to the settings of the clients on this machine, and start each entry once")
    .argument(
      "[clients...]",
      "claude-desktop, claude-code, cursor, vscode, windsurf, zed, codex, gemini or goose (default: those found)",
    )
    .option(
      "--root <dir>",
      "folder whose files the tools may access (repeatable; default: the current folder)",
      collect,
    )
    .option("--packs <names>", "packs to serve (default: all)", splitNames)
    .option("--write", "enable the tools that change files")
    .option("--deny <names>", "tools that are not listed, found or called", splitNames)
    .option("-y, --yes", "write without questions")
    .option("--print", "only print what would be written")
    .option("--undo", "take back what init wrote")
    .action(async (clients: readonly string[], flags: InitFlags) =>
      (await import("../commands/init.ts")).init(clients, flags),
    );

  program
    .command("import-clients")
    .description("find the servers in the settings of other clients, and move them behind toolpacks")
    .option("--apply", "move the servers, with a backup of every changed file (default: only show them)")
    .option("--undo", "put the servers back and remove toolpacks, in every file that --apply changed")
    .option("--only <names>", "move only these servers", splitNames)
    .option("--shared", "include files that a project shares: .mcp.json, .cursor/mcp.json, .vscode/mcp.json")
    .option("--json", "print what would move as JSON")
    .option("--to <file>", "config file that receives the servers (default: in the user's settings folder)")
    .action(async (flags: ImportFlags) => (await import("../commands/import-clients.ts")).importClients(flags));
}
