import { homedir } from "node:os";
import path from "node:path";

/** A file in which a client keeps the servers that it starts. */
export interface ClientFile {
  readonly client: string;
  readonly path: string;
  /** Where in the file they are. */
  readonly at: readonly string[];
  /** The folder in which they are started, where they are a project's. */
  readonly project?: string;
  /** The file is one of the project's own, which others have too. */
  readonly isShared?: boolean;
}

interface Places {
  readonly home: string;
  /** Where programs keep settings: `~/.config` and its like. */
  readonly settings: string;
  readonly project: string;
}

/** Every place where the known clients look, for the user and for the project in a directory. */
export function clientFiles(project: string): readonly ClientFile[] {
  const home = homedir();
  const places = { home, settings: settingsFolder(home), project };
  return [...ofUser(places), ...ofProject(places)];
}

function settingsFolder(home: string): string {
  if (process.platform === "win32") return process.env["APPDATA"] ?? path.join(home, "AppData", "Roaming");
  if (process.platform === "darwin") return path.join(home, "Library", "Application Support");
  return process.env["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
}

function ofUser({ home, settings, project }: Places): readonly ClientFile[] {
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

function ofProject({ project }: Places): readonly ClientFile[] {
  const shared = { project, isShared: true };
  const at = ["mcpServers"];
  return [
    { client: "Claude Code, shared by this project", path: path.join(project, ".mcp.json"), at, ...shared },
    { client: "Cursor, this project", path: path.join(project, ".cursor", "mcp.json"), at, ...shared },
    { client: "VS Code, this project", path: path.join(project, ".vscode", "mcp.json"), at: ["servers"], ...shared },
  ];
}
