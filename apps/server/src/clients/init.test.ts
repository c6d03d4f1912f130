import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { homeWith, runAsProgram } from "./import-home.fixture.ts";

/** A home in which no client's program is in `$PATH`. */
function home(files: (directory: string) => Readonly<Record<string, string | object>> = () => ({})) {
  const made = homeWith(files);
  const env = { ...made.env, PATH: made.project };
  const init = (...args: string[]) => runAsProgram(["init", ...args], { cwd: made.project, env });
  return { ...made, env, init };
}

const cursor = ".cursor/mcp.json";
const git = { command: "uvx", args: ["mcp-server-git"] };

describe.skipIf(process.platform !== "linux")("init", () => {
  test("shows the entry with the chosen folders, packs and tools", async () => {
    const { init, directory, project } = home();
    const flags = ["--write", "--packs", "filesystem,search", "--deny", "fs_delete,fs_write", "--root", project];
    const { code, stdout, stderr } = await init("cursor", "--print", ...flags);
    expect(code).toBe(0);
    expect(stderr).toContain("Cursor was not found on this machine");
    expect(stdout).toContain(`${directory}/${cursor} (new file)\n`);
    const words = stdout.split("\n").flatMap((line) => /^ {2}\+ {9}"(.*?)",?$/.exec(line)?.[1] ?? []);
    const denied = "issues,memory,planner,undo,workflows,fs_delete,fs_write";
    expect(words.slice(1)).toEqual(["--root", project, "--write", "--deny", denied]);
  });

  test("updates an entry by flags only", async () => {
    const own = ["serve", "--surface", "direct", "--root", "/old", "--deny", "fs_delete,memory", "--read-only"];
    const toolpacks = { command: "npx", args: ["-y", "toolpacks", ...own] };
    const { init, project } = home(() => ({ [cursor]: { mcpServers: { mine: toolpacks } } }));
    expect((await init("--print")).stdout).toContain("mine is not changed: it is set up already");
    const { stdout } = await init("--print", "--root", project, "--write");
    expect(stdout.replaceAll(/\s+\+\s+/g, "")).toContain(
      `"serve","--surface","direct","--deny","fs_delete,memory","--root","${project}","--write"]`,
    );
  });

  test("offers the model for memory when it writes an entry that serves memory", async () => {
    // The entry is not started: no program has this name in `$PATH`.
    const toolpacks = { command: "npx", args: ["-y", "toolpacks"] };
    const { init } = home(() => ({ [cursor]: { mcpServers: { toolpacks } } }));
    const offer =
      /\nMemory finds more .* \(46 MB of weights, 240 MB of memory .*\): npm install --\w+ .*@toolpacks\/meaning-minilm\n$/;
    expect((await init("--yes", "--packs", "filesystem,issues")).stdout).not.toMatch(offer);
    expect((await init("--yes", "--packs", "filesystem,memory")).stdout).toMatch(offer);
    expect((await init("--yes")).stdout).not.toMatch(offer);
    expect((await init("--yes", "--deny", "memory")).stdout).not.toMatch(offer);
  });

  test("without a terminal and without --yes says what to add, and changes nothing", async () => {
    const { init, read, directory } = home(() => ({
      [cursor]: { mcpServers: { git } },
      ".codex/config.toml": "a = 1\n",
    }));
    const { code, stdout, stderr } = await init();
    expect(code).toBe(1);
    expect(stderr).toContain("needs a terminal to ask; use --yes to write these changes");
    expect(stdout).toContain(`Cursor: ${directory}/${cursor}\n`);
    expect(stdout).toContain("  + [mcp_servers.toolpacks]\n  + command = ");
    expect((await init("--print")).code).toBe(0);
    expect(read(cursor)).toBe(JSON.stringify({ mcpServers: { git } }));
    const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => /before-toolpacks|client-changes/.test(name))).toEqual([]);
  });

  test("names the place of a mistake in a file, and says that the file is not changed", async () => {
    const { init } = home(() => ({ [cursor]: '{\n  "mcpServers": [,\n' }));
    const { code, stderr } = await init("--print");
    expect(code).toBe(1);
    expect(stderr).toMatch(/mcp\.json:2:\d+: not valid JSON .*; the file is not changed/);
  });

  test("without a client names the clients, and the form that most of them read", async () => {
    const { code, stdout, stderr } = await home().init("--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("no client was found on this machine; name one: claude-desktop, claude-code, cursor");
    expect(stdout).toContain('"mcpServers": {\n');
  });

  test.each([
    [["cursr"], 'unknown client "cursr" (did you mean "cursor"?)'],
    [["--packs", "memry"], 'unknown pack "memry" (did you mean "memory"?)'],
    [["--root", "/no/such/folder"], "--root: not a folder: /no/such/folder"],
    [["--yes", "--print"], "--print and --yes: expected one of them"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await home().init(...args);
    expect([code, stderr]).toEqual([2, `toolpacks: ${message}\n`]);
  });

  test("shows the added lines of a diff in green, and tabs as spaces", async () => {
    const { directory, project, env } = home(() => ({ [cursor]: '{\n\t"mcpServers": {\n\t}\n}\n' }));
    const { stdout } = await runAsProgram(["init", "--print"], { cwd: project, env: { ...env, FORCE_COLOR: "1" } });
    const [title, ...lines] = stdout.trimEnd().split("\n");
    expect(title).toBe(`Cursor: ${directory}/${cursor}`);
    expect(lines).toContain('  \u001B[32m+     "toolpacks": {\u001B[39m');
    expect(lines).toContain('      "mcpServers": {');
    expect(stdout).not.toContain("\\u{9}");
  });

  test("masks variables and escapes control characters in what it prints", async () => {
    const hostile = "x\u009B2J\u202E";
    const mcpServers = { git: { ...git, env: { [hostile]: "s3cr3t" } } };
    const { init, directory } = home();
    writeFileSync(path.join(directory, ".claude.json"), JSON.stringify({ mcpServers }, undefined, 1));
    const { stdout, stderr } = await init("claude-code", "--print");
    expect(stdout).toContain('"x\\u{9b}2J\\u{202e}": "***"\n');
    expect(stdout).toContain('+   "toolpacks": {');
    expect(stdout + stderr).not.toContain("s3cr3t");
    for (const character of hostile.slice(1).replace("2J", "")) expect(stdout + stderr).not.toContain(character);
  });
});
