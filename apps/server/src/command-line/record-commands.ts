import { type CommandEntry, type CommandGroup, flag, withVariable } from "@toolpacks/command-line";
import { Option } from "commander";
import { jsonFlag, oneRoot, setting, storeFlags } from "./flags.ts";

const named = ["<workspace>", "id of the workspace, or its name if no other workspace has this name"] as const;

const workspaceCommands: readonly CommandEntry[] = [
  {
    name: "workspaces list",
    summary: "list the workspaces of the store and of this machine's folders",
    flags: [flag("--root <dir>", "mark the workspace of this folder (default: the current folder)", oneRoot), jsonFlag],
    shared: storeFlags,
    examples: ["toolpacks workspaces --json"],
    load: async () => (await import("../commands/workspaces.ts")).listWorkspaces,
  },
  {
    name: "workspaces join",
    summary: "let a folder use another workspace, or move the records of another one into its own",
    operands: [named, ["[dir]", "folder (default: the current folder)"]],
    flags: [new Option("--move", "move the records into the folder's own workspace, which it keeps"), jsonFlag],
    shared: storeFlags,
    examples: ["toolpacks workspaces join website ../website-copy", "toolpacks workspaces join default --move"],
    load: async () => (await import("../commands/workspaces.ts")).joinFolder,
  },
];

const fileOperand = ["<file>", "path of the file; - for stdin"] as const;

const storeCommands: readonly CommandEntry[] = [
  {
    name: "backup",
    summary: "copy the store to a new file, also while it is in use",
    operands: [["<file>", "path of the new file; it must not exist"]],
    shared: storeFlags,
    examples: ["toolpacks backup store-copy.db"],
    load: async () => (await import("../commands/backup.ts")).backup,
  },
  {
    name: "export",
    summary: "write all records of the store as JSON lines",
    operands: [["[file]", "path of the new file; it must not exist; - for stdout (default: stdout)"]],
    flags: [
      new Option("--graph", "export only the knowledge of one workspace, in the format of the official memory server"),
      setting(new Option("--workspace <id>", "workspace whose knowledge is exported"), "the project's", "WORKSPACE"),
    ],
    shared: storeFlags,
    examples: ["toolpacks export records.jsonl", "toolpacks export --graph graph.jsonl"],
    load: async () => (await import("../commands/export.ts")).exportStore,
  },
  {
    name: "import",
    summary: "import the JSON lines of an export into the store, all or none",
    operands: [fileOperand],
    flags: [
      new Option("--graph", "import entities and relations in the format of the official memory server"),
      new Option("--transcript", "import a session of Claude Code or Codex as an episode, with secrets masked"),
      withVariable(
        flag("--root <dir>", "folder whose workspace receives it (default: the current project)", oneRoot),
        "TOOLPACKS_ROOTS",
      ),
      setting(
        new Option("--workspace <id>", "workspace that receives the session or graph"),
        "that of the root",
        "WORKSPACE",
      ),
    ],
    shared: storeFlags,
    examples: [
      "toolpacks import records.jsonl",
      "toolpacks import --graph graph.jsonl",
      "toolpacks import --transcript session.jsonl",
    ],
    load: async () => (await import("../commands/import.ts")).importStore,
  },
];

export const recordGroup: CommandGroup = { title: "Records:", commands: [...workspaceCommands] };
export const storeGroup: CommandGroup = { title: "Store:", commands: storeCommands };
