import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { folder, run, type RunOptions } from "../run-cli.fixture.ts";

export const git = { command: "uvx", args: ["mcp-server-git"], env: { TOKEN: "s3cr3t" } };
export const docs = { url: "https://docs.example.com/mcp" };
export const place = ".config/toolpacks/toolpacks.config.jsonc";
export const desktop = ".config/Claude/claude_desktop_config.json";

export type Servers = Record<string, { command?: string; args?: string[]; cwd?: string }>;

/** Variables that move the files of clients, as not set. */
export const noClientVariables = { CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", COPILOT_HOME: "", GEMINI_CLI_HOME: "" };

/** Runs a command in this process, as if the built program was started. */
export async function runAsProgram(args: readonly string[], options: RunOptions) {
  const [, before = ""] = process.argv;
  process.argv[1] = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
  try {
    return await run(args, options);
  } finally {
    process.argv[1] = before;
  }
}

/** Creates a home folder with these files. Commands run in its project. */
export function homeWith(files: (directory: string) => Readonly<Record<string, string | object>>) {
  const directory = folder();
  const project = path.join(directory, "project");
  mkdirSync(project);
  for (const [name, content] of Object.entries(files(directory))) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  const env = {
    HOME: directory,
    XDG_CONFIG_HOME: path.join(directory, ".config"),
    XDG_DATA_HOME: path.join(directory, "data"),
    XDG_CACHE_HOME: path.join(directory, "cache"),
    ...noClientVariables,
  };
  const toolpacks = (...args: string[]) => runAsProgram(args, { cwd: project, env });
  const read = (name: string) => readFileSync(path.join(directory, name), "utf8");
  return {
    directory,
    project,
    env,
    toolpacks,
    command: (...args: string[]) => toolpacks("import-clients", ...args),
    read,
    servers: (name: string, key = "mcpServers") => (JSON.parse(read(name)) as Record<string, Servers>)[key] ?? {},
    write: (name: string, content: object) => writeFileSync(path.join(directory, name), JSON.stringify(content)),
  };
}

/** A home in which every client has servers. */
export const fullHome = () =>
  homeWith((directory) => ({
    "project/.vscode/mcp.json": { inputs: [], servers: { ask: { command: "x", args: ["${input:key}"] } } },
    [desktop]: `{\n  // mine\n  "theme": "dark",\n  "mcpServers": { "git": ${JSON.stringify(git)} }\n}\n`,
    ".claude.json": {
      numStartups: 3,
      mcpServers: { docs },
      projects: { [path.join(directory, "project")]: { mcpServers: { git } } },
    },
    ".cursor/mcp.json": { mcpServers: { git: { command: "other" } } },
    ".config/Code/User/mcp.json": { servers: { docs: { type: "http", ...docs } } },
    ".codeium/windsurf/mcp_config.json": { mcpServers: { wind: { serverUrl: "https://w.example.com" } } },
  }));

export const files = [
  desktop,
  ".claude.json",
  ".cursor/mcp.json",
  ".config/Code/User/mcp.json",
  ".codeium/windsurf/mcp_config.json",
  "project/.vscode/mcp.json",
];
