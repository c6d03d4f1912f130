import { homedir } from "node:os";
import path from "node:path";

/** A config file of an MCP client that lists the servers it starts. */
export interface ClientFile {
  readonly client: string;
  readonly path: string;
  /** Key path of the servers in the file. */
  readonly at: readonly string[];
  /** The project folder in which the client starts the servers; absent for servers of the user. */
  readonly project?: string;
  /** Whether the file is part of the project and shared with other people. */
  readonly isShared?: boolean;
}

interface BaseFolders {
  readonly home: string;
  /** The user's settings folder, such as `~/.config`. */
  readonly settings: string;
  readonly project: string;
}

/** The config files of all known clients, for the user and for a project folder. They need not exist. */
export function clientFiles(project: string): readonly ClientFile[] {
  const home = homedir();
  const folders = { home, settings: settingsFolder(home), project };
  return [...userFiles(folders), ...projectFiles(folders)];
}

function settingsFolder(home: string): string {
  if (process.platform === "win32") return process.env["APPDATA"] ?? path.join(home, "AppData", "Roaming");
  if (process.platform === "darwin") return path.join(home, "Library", "Application Support");
  // A relative path must not lead into the project.
  return path.resolve(home, process.env["XDG_CONFIG_HOME"] || ".config");
}

function userFiles({ home, settings, project }: BaseFolders): readonly ClientFile[] {
  const claude = path.join(home, ".claude.json");
  const at = ["mcpServers"];
  return [
    { client: "Claude Desktop", path: path.join(settings, "Claude", "claude_desktop_config.json"), at },
    { client: "Claude Code", path: claude, at },
    { client: "Claude Code, this project", path: claude, at: ["projects", project, "mcpServers"], project },
    { client: "Cursor", path: path.join(home, ".cursor", "mcp.json"), at },
    { client: "VS Code", path: path.join(settings, "Code", "User", "mcp.json"), at: ["servers"] },
    { client: "Windsurf", path: path.join(home, ".codeium", "windsurf", "mcp_config.json"), at },
  ];
}

function projectFiles({ project }: BaseFolders): readonly ClientFile[] {
  const shared = { project, isShared: true };
  const at = ["mcpServers"];
  return [
    { client: "Claude Code, shared by this project", path: path.join(project, ".mcp.json"), at, ...shared },
    { client: "Cursor, this project", path: path.join(project, ".cursor", "mcp.json"), at, ...shared },
    { client: "VS Code, this project", path: path.join(project, ".vscode", "mcp.json"), at: ["servers"], ...shared },
  ];
}
