import { applicationFolder, claudeDesktopFolder, folderFrom, joinPath, type Machine } from "./machine.ts";
import type { ConfigFormat } from "./config-text.ts";
import {
  codexEntries,
  commonEntries,
  copilotEntries,
  gooseEntries,
  typedEntries,
  zedEntries,
  type Block,
  type EntryFormat,
} from "./entry-formats.ts";

/** An MCP client that starts the servers in a config file. */
export interface KnownClient {
  /** The name on the command line. */
  readonly id: string;
  readonly name: string;
  readonly format: ConfigFormat;
  /** Key path of the servers in its files. */
  readonly at: readonly string[];
  readonly entries: EntryFormat;
  /** The user's file. */
  readonly userFile: (machine: Machine) => string;
  /** Key path in the user's file of the servers for one project, which are not shared. */
  readonly projectAt?: (project: string) => readonly string[];
  /** The file of a project, relative to its folder. */
  readonly projectFile?: readonly string[];
  /** The folder that shows that the client is installed. Default: the folder of the user's file. */
  readonly installedFolder?: (machine: Machine) => string;
  /** The name of its program in `$PATH`. */
  readonly program?: string;
  /** Fields of an entry that keep the client from showing only the names of the server's tools. Other versions ignore them. */
  readonly listsTools?: Block;
  /** The environment variables that its servers get besides those of their entry: all of the client's, or the basic ones, such as `$PATH`. */
  readonly environment: "all" | "basic";
  /** The folder in which it starts servers without `cwd`. */
  readonly startFolder: "home" | "project";
}

/** What most clients have in common. */
const common = {
  format: "json",
  at: ["mcpServers"],
  entries: commonEntries,
  environment: "all",
  startFolder: "project",
} as const;

/** The known clients, in the order of lists. To add a client, add an entry. */
export const knownClients: readonly KnownClient[] = [
  {
    ...common,
    id: "claude-desktop",
    name: "Claude Desktop",
    userFile: (machine) => joinPath(machine, claudeDesktopFolder(machine), "claude_desktop_config.json"),
    environment: "basic",
    startFolder: "home",
  },
  {
    ...common,
    id: "claude-code",
    name: "Claude Code",
    entries: typedEntries,
    userFile: (machine) => joinPath(machine, folderFrom(machine, "CLAUDE_CONFIG_DIR", "."), ".claude.json"),
    projectAt: (project) => ["projects", project, "mcpServers"],
    projectFile: [".mcp.json"],
    installedFolder: (machine) => folderFrom(machine, "CLAUDE_CONFIG_DIR", ".claude"),
    program: "claude",
    listsTools: { alwaysLoad: true },
  },
  {
    ...common,
    id: "cursor",
    name: "Cursor",
    userFile: (machine) => joinPath(machine, machine.home, ".cursor", "mcp.json"),
    projectFile: [".cursor", "mcp.json"],
    program: "cursor",
    startFolder: "home",
  },
  {
    ...common,
    id: "vscode",
    name: "VS Code",
    at: ["servers"],
    entries: typedEntries,
    userFile: (machine) => joinPath(machine, applicationFolder(machine), "Code", "User", "mcp.json"),
    projectFile: [".vscode", "mcp.json"],
    program: "code",
    startFolder: "home",
  },
  {
    ...common,
    id: "windsurf",
    name: "Windsurf",
    userFile: (machine) => joinPath(machine, machine.home, ".codeium", "windsurf", "mcp_config.json"),
    program: "windsurf",
    startFolder: "home",
  },
  {
    ...common,
    id: "zed",
    name: "Zed",
    at: ["context_servers"],
    entries: zedEntries,
    userFile: (machine) => joinPath(machine, zedFolder(machine), "settings.json"),
    projectFile: [".zed", "settings.json"],
    program: "zed",
  },
  {
    ...common,
    id: "copilot",
    name: "Copilot CLI",
    entries: copilotEntries,
    userFile: (machine) => joinPath(machine, folderFrom(machine, "COPILOT_HOME", ".copilot"), "mcp-config.json"),
    projectFile: [".github", "mcp.json"],
    program: "copilot",
    listsTools: { deferTools: "never" },
  },
  {
    ...common,
    id: "codex",
    name: "Codex",
    format: "toml",
    at: ["mcp_servers"],
    entries: codexEntries,
    userFile: (machine) => joinPath(machine, folderFrom(machine, "CODEX_HOME", ".codex"), "config.toml"),
    projectFile: [".codex", "config.toml"],
    program: "codex",
    environment: "basic",
  },
  {
    ...common,
    id: "gemini",
    name: "Gemini CLI",
    userFile: (machine) => joinPath(machine, folderFrom(machine, "GEMINI_CLI_HOME", "."), ".gemini", "settings.json"),
    projectFile: [".gemini", "settings.json"],
    program: "gemini",
  },
  {
    ...common,
    id: "goose",
    name: "Goose",
    format: "yaml",
    at: ["extensions"],
    entries: gooseEntries,
    userFile: (machine) => joinPath(machine, gooseFolder(machine), "config.yaml"),
    program: "goose",
  },
];

/** Zed reads `$XDG_CONFIG_HOME` on Linux only. */
function zedFolder(machine: Machine): string {
  if (machine.platform === "darwin") return joinPath(machine, machine.home, ".config", "zed");
  return joinPath(machine, applicationFolder(machine), machine.platform === "win32" ? "Zed" : "zed");
}

function gooseFolder(machine: Machine): string {
  return machine.platform === "win32"
    ? joinPath(machine, applicationFolder(machine), "Block", "goose", "config")
    : joinPath(machine, folderFrom(machine, "XDG_CONFIG_HOME", ".config"), "goose");
}

/** A place in a client's config file that lists servers. The file need not exist. */
export interface ClientFile {
  readonly client: KnownClient;
  /** The client and the scope of the servers, for messages. */
  readonly label: string;
  readonly path: string;
  /** Key path of the servers in the file. */
  readonly at: readonly string[];
  /** The project folder in which the client starts the servers; absent for servers of the user. */
  readonly project?: string;
  /** Whether the file is part of the project and shared with other people. */
  readonly isShared?: boolean;
}

/** The user's file of a client. */
export function userFileOf(client: KnownClient, machine: Machine): ClientFile {
  return { client, label: client.name, path: client.userFile(machine), at: client.at };
}

/** The config files of all known clients, first those of the user, then those of the project. */
export function clientFiles(machine: Machine): readonly ClientFile[] {
  const { project } = machine;
  const ofUser = knownClients.flatMap((client): readonly ClientFile[] => {
    const file = userFileOf(client, machine);
    const projectAt = client.projectAt?.(project);
    return [file, ...(projectAt ? [{ ...file, label: `${client.name}, this project`, at: projectAt, project }] : [])];
  });
  const ofProject = knownClients.flatMap((client): readonly ClientFile[] => {
    if (client.projectFile === undefined) return [];
    const label = `${client.name}, ${client.projectAt === undefined ? "this project" : "shared by this project"}`;
    const file = joinPath(machine, project, ...client.projectFile);
    return [{ client, label, path: file, at: client.at, project, isShared: true }];
  });
  return [...ofUser, ...ofProject];
}
