import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../command.fixture.ts";

const git = { command: "uvx", args: ["mcp-server-git"], env: { TOKEN: "s3cr3t" } };
const docs = { url: "https://docs.example.com/mcp" };

/** A home in which every client has servers. */
function home() {
  const directory = folder();
  const put = (name: string, content: string) => {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), content);
  };
  const project = path.join(directory, "project");
  put(
    "project/.vscode/mcp.json",
    JSON.stringify({ inputs: [], servers: { ask: { command: "x", args: ["${input:key}"] } } }),
  );
  put(
    ".config/Claude/claude_desktop_config.json",
    `{\n  // mine\n  "theme": "dark",\n  "mcpServers": { "git": ${JSON.stringify(git)} }\n}\n`,
  );
  put(
    ".claude.json",
    JSON.stringify({ numStartups: 3, mcpServers: { docs }, projects: { [project]: { mcpServers: { git } } } }),
  );
  put(".cursor/mcp.json", JSON.stringify({ mcpServers: { git: { command: "other" } } }));
  put(".config/Code/User/mcp.json", JSON.stringify({ servers: { docs: { type: "http", ...docs } } }));
  put(
    ".codeium/windsurf/mcp_config.json",
    JSON.stringify({ mcpServers: { wind: { serverUrl: "https://w.example.com" } } }),
  );
  const env = {
    HOME: directory,
    XDG_CONFIG_HOME: path.join(directory, ".config"),
    XDG_DATA_HOME: path.join(directory, "data"),
  };
  const command = (...args: string[]) => run(["import-clients", ...args], { cwd: project, env });
  const read = (name: string) => readFileSync(path.join(directory, name), "utf8");
  return { directory, command, read };
}

const files = [
  ".config/Claude/claude_desktop_config.json",
  ".claude.json",
  ".cursor/mcp.json",
  ".config/Code/User/mcp.json",
  ".codeium/windsurf/mcp_config.json",
  "project/.vscode/mcp.json",
];

describe.skipIf(process.platform !== "linux")("import-clients", () => {
  test("shows what there is and changes nothing", async () => {
    const { command, read, directory } = home();
    const before = files.map(read);
    const { stdout, code } = await command();
    expect(code).toBe(0);
    expect(stdout).toContain("Windsurf: ");
    expect(stdout).toContain("ask, which stays: it asks its user for an input");
    expect(stdout).toContain("with --apply they move to ");
    expect(stdout).not.toContain("s3cr3t");
    expect(files.map(read)).toEqual(before);
    expect(existsSync(path.join(directory, ".config/toolpacks"))).toBe(false);
  });

  test("moves each server once, leaves the rest of every file as it is, and takes all of it back", async () => {
    const { command, read, directory } = home();
    const before = files.map(read);
    const { stdout } = await command("--apply");
    expect(stdout).toContain("moved to ");
    const place = ".config/toolpacks/toolpacks.config.jsonc";
    const { mcpServers } = JSON.parse(read(place)) as { mcpServers: Record<string, unknown> };
    expect(mcpServers).toEqual({
      git,
      docs,
      "git-cursor": { command: "other" },
      "docs-vs-code": { type: "http", ...docs },
      wind: { url: "https://w.example.com" },
    });
    expect(statSync(path.join(directory, place)).mode & 0o777).toBe(0o600);
    const desktop = read(files[0] ?? "");
    expect(desktop).toContain("// mine");
    expect(desktop).not.toContain("uvx");
    const claude = JSON.parse(read(".claude.json")) as {
      numStartups: number;
      mcpServers: Record<string, { args: string[] }>;
    };
    expect(claude.numStartups).toBe(3);
    expect(Object.keys(claude.mcpServers)).toEqual(["toolpacks"]);
    expect(claude.mcpServers["toolpacks"]?.args.slice(1)).toEqual(["--config", path.join(directory, place)]);
    expect(read(files[5] ?? "")).toBe(before[5]);

    const again = await command("--apply");
    expect(again.stdout).toContain("there is nothing to move");

    expect((await command("--undo")).code).toBe(0);
    expect(files.map(read)).toEqual(before);
    expect(existsSync(path.join(directory, place))).toBe(false);
    expect(readdirSync(directory).filter((name) => name.includes("before-toolpacks"))).toEqual([]);
  });

  test("takes back nothing that somebody has changed since, and names the backup", async () => {
    const { command, read, directory } = home();
    await command("--apply");
    const changed = JSON.stringify({ mcpServers: {} });
    writeFileSync(path.join(directory, ".cursor/mcp.json"), changed);
    const { code, stdout } = await command("--undo");
    expect(code).toBe(1);
    expect(stdout).toContain(".cursor/mcp.json.before-toolpacks");
    expect(read(".cursor/mcp.json")).toBe(changed);
  });

  test("passes over a file that is no JSON, by its name", async () => {
    const { command, directory } = home();
    writeFileSync(path.join(directory, ".cursor/mcp.json"), '{ "mcpServers": ');
    const { stderr, stdout } = await command();
    expect(stderr).toMatch(/mcp\.json:1:\d+: not valid JSON .*passed over/);
    expect(stdout).toContain("Windsurf: ");
  });
});
