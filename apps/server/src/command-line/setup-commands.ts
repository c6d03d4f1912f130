import { type CommandEntry, type CommandGroup, collect, flag } from "@toolpacks/command-line";
import { InvalidArgumentError, Option } from "commander";
import { splitNames } from "../config/settings.ts";
import { jsonFlag, mountFlags, oneRoot, storeFlags } from "./flags.ts";

const callerFlag = new Option(
  "--caller <principal>",
  "caller of a server with identity caller: the id of a principal, or the name of its token",
);

const clientCommands: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "add toolpacks to the settings of the clients on this machine, and start each entry once",
    operands: [
      [
        "[clients...]",
        "claude-desktop, claude-code, cursor, vscode, windsurf, zed, copilot, codex, gemini or goose (default: those found)",
      ],
    ],
    flags: [
      flag(
        "--root <dir>",
        "folder whose files the tools may access (repeatable; default: the current folder)",
        collect,
      ),
      flag("--packs <names>", "packs to serve (default: all)", splitNames),
      new Option("--write", "enable the tools that change files"),
      flag("--deny <names>", "tools that are not listed, found or called", splitNames),
      new Option("-y, --yes", "write without questions"),
      new Option("--print", "only print what would be written"),
      new Option("--undo", "take back what init wrote"),
    ],
    examples: [
      "toolpacks init                   the clients on this machine, with questions",
      "toolpacks init cursor --yes      one client, without questions",
      "toolpacks init --undo",
    ],
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    name: "import-clients",
    summary: "find the servers in the settings of other clients, and move them behind toolpacks",
    flags: [
      new Option("--apply", "move the servers, with a backup of every changed file (default: only show them)"),
      new Option("--undo", "put the servers back and remove toolpacks, in every file that --apply changed"),
      flag("--only <names>", "move only these servers", splitNames),
      new Option("--shared", "include files that a project shares: .mcp.json, .cursor/mcp.json, .vscode/mcp.json"),
      new Option("--json", "print what would move as JSON"),
      new Option("--to <file>", "config file that receives the servers (default: in the user's settings folder)"),
    ],
    examples: [
      "toolpacks import-clients           show the servers of other clients",
      "toolpacks import-clients --apply   move them behind toolpacks",
    ],
    load: async () => (await import("../commands/import-clients.ts")).importClients,
  },
  {
    name: "hooks",
    summary: "let a client show a briefing when a session begins, and save a state before it compacts and at the end",
    operands: [["<client>", "the client", ["claude-code", "codex", "cursor"]]],
    flags: [
      flag("--tokens <count>", "maximum number of tokens of a briefing (default: 800)", parseTokens),
      new Option("--print", "only print what would be written"),
      new Option("--undo", "remove the hooks again"),
    ],
    examples: [
      "toolpacks hooks claude-code            show a briefing at each start",
      "toolpacks hooks codex --print",
      "toolpacks hooks cursor --undo",
    ],
    load: async () => (await import("../commands/hooks.ts")).hooks,
  },
  {
    name: "hook",
    summary: "answer an event of a client's session",
    isHidden: true,
    // Options of another version must not fail the start of a session.
    isLenient: true,
    operands: [["[client]", "the client"]],
    flags: [
      flag("--root <dir>", "folder of the project", oneRoot),
      new Option("--workspace <id>", "workspace of the records (default: the workspace of the root)"),
      new Option("--tokens <count>", "maximum number of tokens of a briefing"),
    ],
    shared: storeFlags,
    load: async () => (await import("../commands/hook.ts")).hook,
  },
];

const checkCommands: readonly CommandEntry[] = [
  {
    name: "doctor",
    summary: "check the config, packs, servers, store and the entries of clients, and print all problems",
    flags: [
      callerFlag,
      new Option("--tokens <file>", "check this token file, which serve --http would use"),
      flag("--require <tools>", "exit with code 1 if one of these tools cannot be called", splitNames),
      jsonFlag,
    ],
    shared: mountFlags,
    examples: [
      "toolpacks doctor",
      "toolpacks doctor --require fs_read,issue_create   for CI",
      "toolpacks doctor --json",
    ],
    load: async () => (await import("../commands/doctor.ts")).doctor,
  },
  {
    name: "models",
    summary: "list the models with their keys, prices, budgets and use (UTC)",
    flags: [new Option("--check", "ask each endpoint if it responds; no model is asked"), jsonFlag],
    shared: storeFlags,
    examples: ["toolpacks models --check"],
    load: async () => (await import("../commands/models.ts")).listModels,
  },
  {
    name: "trust",
    summary: "show what a project's config file would run and allow, and trust its current content",
    operands: [["[dir]", "folder where the search for the file starts, upward (default: the current folder)"]],
    flags: [
      new Option("-y, --yes", "trust the file without asking"),
      new Option("--list", "list the trusted files"),
      new Option("--revoke", "stop trusting the file"),
      new Option("--json", "print the list as JSON"),
    ],
    examples: ["toolpacks trust", "toolpacks trust --list"],
    load: async () => (await import("../commands/trust.ts")).trust,
  },
  {
    name: "accept",
    summary: "accept the current tools of another server and show the changes",
    operands: [["<server>", "facet of the server: its name in mcpServers"]],
    flags: [callerFlag, new Option("--json", "print the changes as JSON")],
    shared: mountFlags,
    examples: ["toolpacks accept github"],
    load: async () => (await import("../commands/accept.ts")).accept,
  },
  {
    name: "sign-in",
    summary: "sign in to another server with OAuth in a browser",
    operands: [["<server>", "facet of the server: its name in mcpServers"]],
    flags: [callerFlag, new Option("--no-browser", "print the address and do not open a browser")],
    shared: mountFlags,
    examples: ["toolpacks sign-in linear"],
    load: async () => (await import("../commands/sign-in.ts")).signIn,
  },
  {
    name: "config schema",
    summary: "print the JSON Schema of the config file",
    examples: ["toolpacks config schema > schema.json"],
    load: async () => (await import("../commands/config-schema.ts")).printConfigSchema,
  },
];

export const setupGroup: CommandGroup = { title: "Set up and check:", commands: [...clientCommands, ...checkCommands] };

/** Reads the tokens of a briefing, in the range that `toolpacks hook` accepts. */
function parseTokens(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 200 && count <= 2_000) return count;
  throw new InvalidArgumentError("expected a whole number from 200 to 2000");
}
