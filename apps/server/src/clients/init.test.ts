import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../command.fixture.ts";
import { asOnWindows, clientSamples } from "./client-samples.fixture.ts";
import { homeWith, type Servers } from "./import-home.fixture.ts";

/** A home in which no client's program is in `$PATH`. */
function home(files: (directory: string) => Readonly<Record<string, string | object>> = () => ({})) {
  const made = homeWith(files);
  const env = { ...made.env, PATH: made.project };
  const init = (...args: string[]) => run(["init", ...args], { cwd: made.project, env });
  return { ...made, init };
}

const cursor = ".cursor/mcp.json";
const git = { command: "uvx", args: ["mcp-server-git"] };
const npx = (...args: string[]) => ({ command: "npx", args: ["-y", "toolpacks", ...args] });

function backupsIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    /before-toolpacks|client-changes/.test(name),
  );
}

describe.skipIf(process.platform !== "linux")("init", () => {
  test.each(clientSamples)(
    "adds an entry that answers to the file of $id, and --undo restores every byte",
    async ({ id, file, text }) => {
      for (const original of [text, asOnWindows(text)]) {
        const { init, read, directory, project } = home(() => ({ [file]: original }));
        const { code, stdout, stderr } = await init("--yes", id);
        expect(stderr).not.toContain("toolpacks: init");
        expect(stdout).toMatch(/: toolpacks answers with [1-9]\d* tools\n/);
        expect(code).toBe(0);
        expect(stdout).not.toContain("s3cr3t");
        const changed = read(file);
        expect(changed).toContain(`--root`);
        expect(changed).toContain(project);
        // Every other line stays as it is, except for a comma after the last one.
        const lines = new Set(changed.split("\n"));
        const lost = original
          .split("\n")
          .filter((line) => !lines.has(line) && !lines.has(line.replace(/(\r?)$/, ",$1")));
        expect(lost.filter((line) => line.trim() !== "")).toEqual([]);
        expect((await init("--undo")).code).toBe(0);
        expect(readFileSync(path.join(directory, file), "utf8")).toBe(original);
        expect(backupsIn(directory)).toEqual([]);
      }
    },
    30_000,
  );

  test("creates the private file of a named client, and removes it again", async () => {
    const { init, servers, directory, project } = home();
    const { stdout, stderr } = await init(
      "cursor",
      "--yes",
      "--write",
      "--packs",
      "filesystem,search",
      "--deny",
      "fs_delete,fs_write",
      "--root",
      project,
    );
    expect(stderr).toContain("Cursor was not found on this machine");
    expect(stdout).toContain(`${directory}/${cursor} (new file)\n`);
    expect(statSync(path.join(directory, cursor)).mode & 0o777).toBe(0o600);
    expect(servers(cursor)["toolpacks"]?.args?.slice(1)).toEqual([
      "--root",
      project,
      "--write",
      "--deny",
      "issues,memory,planner,workflows,fs_delete,fs_write",
    ]);
    await init("--undo");
    expect(existsSync(path.join(directory, cursor))).toBe(false);
  });

  test("leaves an entry that is there, and updates it only by flags, without a second one", async () => {
    const own = npx("serve", "--surface", "direct", "--root", "/old", "--deny", "fs_delete,memory", "--read-only");
    const { init, servers, write, project } = home(() => ({ [cursor]: { mcpServers: { mine: own, git } } }));
    const { stdout } = await init("--print");
    expect(stdout).toContain("mine is not changed: it is set up already");
    await init("cursor", "--yes", "--root", project, "--write");
    const kept = ["-y", "toolpacks", "serve", "--surface", "direct", "--deny", "fs_delete,memory"];
    expect(servers(cursor)).toEqual({ mine: { ...own, args: [...kept, "--root", project, "--write"] }, git });
    // A program that is gone is replaced.
    write(cursor, {
      mcpServers: { mine: { command: "/gone/node", args: ["/gone/toolpacks/dist/cli.js", "--write"] } },
    });
    expect((await init("cursor", "--yes")).stdout).toMatch(/mine answers with/);
    expect(servers(cursor)["mine"]?.args?.at(-1)).toBe("--write");
    expect(Object.keys(servers(cursor))).toEqual(["mine"]);
  });

  test.each([
    [npx("--config", "/home/me/other.json"), "it is set up with --config"],
    [npx("--facet=issues"), "it is set up with --facet"],
    [{ ...npx("--write"), disabled: true }, "it is disabled there"],
  ])("does not change an entry with a purpose of its own: %j", async (own, reason) => {
    const { init, read } = home(() => ({ [cursor]: { mcpServers: { own } } }));
    const before = read(cursor);
    expect((await init("--print", "--write")).stdout).toContain(`own is not changed: ${reason}`);
    expect(read(cursor)).toBe(before);
  });

  test("adds an entry beside a relay that has our name", async () => {
    const relay = npx("relay", "--", "uvx", "mcp-server-git");
    const { init, servers } = home(() => ({ [cursor]: { mcpServers: { toolpacks: relay } } }));
    await init("--yes");
    expect(Object.keys(servers(cursor))).toEqual(["toolpacks", "toolpacks-2"]);
  });

  test("names the line and column of a file that it cannot parse, leaves it, and sets up the others", async () => {
    const broken = {
      [cursor]: '{\n  "mcpServers": [,\n',
      ".codex/config.toml": "a = 1\nb = [\n",
      ".config/goose/config.yaml": "a:\n  b: [\n",
    };
    const { init, read, servers } = home(() => ({ ...broken, ".codeium/windsurf/mcp_config.json": "{}" }));
    const { code, stderr } = await init("--yes");
    expect(code).toBe(1);
    expect(stderr).toMatch(/mcp\.json:2:\d+: not valid JSON .*; the file is not changed/);
    expect(stderr).toMatch(/config\.toml:\d+:\d+: not valid TOML .*; the file is not changed/);
    expect(stderr).toMatch(/config\.yaml:\d+:\d+: not valid YAML .*; the file is not changed/);
    for (const [file, text] of Object.entries(broken)) expect(read(file)).toBe(text);
    expect(Object.keys(servers(".codeium/windsurf/mcp_config.json"))).toEqual(["toolpacks"]);
  });

  test("without a terminal and without --yes says what to add, and changes nothing", async () => {
    const { init, read, directory } = home(() => ({
      [cursor]: { mcpServers: { git } },
      ".codex/config.toml": "a = 1\n",
    }));
    const { code, stdout, stderr } = await init();
    expect(code).toBe(1);
    expect(stderr).toContain("needs a terminal to ask; add the lines above by hand, or use --yes to write them");
    expect(stdout).toContain(`Cursor: add to ${directory}/${cursor}\n  {\n    "mcpServers": {\n      "toolpacks": {\n`);
    expect(stdout).toContain("  [mcp_servers.toolpacks]\n  command = ");
    expect((await init("--print")).code).toBe(0);
    expect(read(cursor)).toBe(JSON.stringify({ mcpServers: { git } }));
    expect(backupsIn(directory)).toEqual([]);
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

  test("reports an entry whose server does not start", async () => {
    const own = {
      command: process.execPath,
      args: [path.resolve("apps/server/dist/cli.js")],
      env: { TOOLPACKS_SURFACE: "x" },
    };
    const { init } = home(() => ({ [cursor]: { mcpServers: { own } } }));
    const { code, stderr } = await init("--yes");
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cursor: own does not answer: .+/);
  });

  test("--undo takes back only the entry if the client has changed the file since", async () => {
    const { init, read, write, servers, directory } = home(() => ({
      ".claude.json": { numStartups: 1, mcpServers: { git } },
    }));
    await init("claude-code", "--yes");
    const changed = JSON.parse(read(".claude.json")) as { mcpServers: Servers };
    write(".claude.json", { ...changed, numStartups: 2 });
    const { code, stdout } = await init("--undo");
    expect([code, stdout]).toEqual([
      0,
      `${directory}/.claude.json: toolpacks removed; later changes of the file are kept\n`,
    ]);
    expect(JSON.parse(read(".claude.json"))).toEqual({ numStartups: 2, mcpServers: { git } });
    expect(servers(".claude.json")).toEqual({ git });
    expect(backupsIn(directory)).toEqual([]);
  });

  test("--undo of each command undoes its own changes, the later command first", async () => {
    const { init, command, read, directory } = home(() => ({ [cursor]: { mcpServers: { git } } }));
    const before = read(cursor);
    await init("cursor", "--yes");
    const between = read(cursor);
    await command("--apply");
    const { code, stdout } = await init("--undo");
    expect(code).toBe(1);
    expect(stdout).toContain(
      "it was changed later by toolpacks import-clients. Run toolpacks import-clients --undo first.",
    );
    expect((await command("--undo")).code).toBe(0);
    expect(read(cursor)).toBe(between);
    expect((await command("--undo")).code).toBe(0);
    expect(read(cursor)).toBe(between);
    expect((await init("--undo")).code).toBe(0);
    expect(read(cursor)).toBe(before);
    expect(backupsIn(directory)).toEqual([]);
    expect(await init("--undo")).toMatchObject({
      code: 0,
      stdout: "there is nothing to undo: toolpacks init has changed no file\n",
    });
  });

  test("shows the added lines of a diff in green, and tabs as spaces", async () => {
    const { directory, project, env } = home(() => ({ [cursor]: '{\n\t"mcpServers": {\n\t}\n}\n' }));
    const { stdout } = await run(["init", "--print"], { cwd: project, env: { ...env, FORCE_COLOR: "1" } });
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
