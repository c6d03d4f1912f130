import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { desktop, docs, files, fullHome, git, homeWith, place } from "./import-home.fixture.ts";

describe.skipIf(process.platform !== "linux")("import-clients", () => {
  test("without --apply shows the servers and changes nothing", async () => {
    const { command, read, directory } = fullHome();
    const before = files.map(read);
    const { stdout, code } = await command();
    expect(code).toBe(0);
    expect(stdout).toContain("Windsurf: ");
    expect(stdout).toContain("ask, which stays: only an editor can ask for the input key");
    expect(stdout).toContain("with --apply they move to ");
    expect(stdout).not.toContain("s3cr3t");
    expect(files.map(read)).toEqual(before);
    expect(existsSync(path.join(directory, ".config/toolpacks"))).toBe(false);
  });

  test("moves each server once, keeps the rest of every file, and undoes all changes", async () => {
    const { command, read, servers, directory } = fullHome();
    const before = files.map(read);
    const { stdout } = await command("--apply");
    expect(stdout).toContain("moved to ");
    expect(servers(place)).toEqual({
      git,
      docs,
      "git-cursor": { command: "other" },
      wind: { serverUrl: "https://w.example.com" },
    });
    expect(statSync(path.join(directory, place)).mode & 0o777).toBe(0o600);
    expect(read(desktop)).toContain("// mine");
    expect(read(desktop)).not.toContain("uvx");
    expect(JSON.parse(read(".claude.json"))).toMatchObject({ numStartups: 3 });
    const ours = servers(".claude.json");
    expect(Object.keys(ours)).toEqual(["toolpacks"]);
    expect(ours["toolpacks"]?.args?.slice(1)).toEqual(["--config", path.join(directory, place)]);
    expect(read(files[5] ?? "")).toBe(before[5]);

    const again = await command("--apply");
    expect(again.stdout).toContain("there is nothing to move");

    expect((await command("--undo")).code).toBe(0);
    expect(files.map(read)).toEqual(before);
    expect(existsSync(path.join(directory, place))).toBe(false);
    expect(readdirSync(directory).filter((name) => name.includes("before-toolpacks"))).toEqual([]);
  });

  test("skips a file that is not JSON, and names it", async () => {
    const { command, directory } = fullHome();
    writeFileSync(path.join(directory, ".cursor/mcp.json"), '{ "mcpServers": ');
    const { stderr, stdout } = await command();
    expect(stderr).toMatch(/mcp\.json:1:\d+: not valid JSON .*skipped/);
    expect(stdout).toContain("Windsurf: ");
  });

  test.each([
    ["is a folder", (file: string) => mkdirSync(file), "not a regular file"],
    [
      "is nested too deep",
      (file: string) => writeFileSync(file, `{"mcpServers":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`),
      "",
    ],
  ])("skips a file that %s, with one line", async (_, make, reason) => {
    const { command, project } = fullHome();
    make(path.join(project, ".mcp.json"));
    const { code, stdout, stderr } = await command("--shared");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^toolpacks: .*\.mcp\.json: cannot be read \(.*\); the file is skipped\n$/);
    expect(stderr).toContain(reason);
    expect(stdout).toContain("Windsurf: ");
  });

  test.each([["--shared"], ["--shared", "--apply"]])(
    "shows the command of each server that it moves: %j",
    async (...args) => {
      const evil = { command: "sh", args: ["-c", "touch PWNED; sleep 1"], env: { NODE_OPTIONS: "s3cr3t" } };
      const wind = { serverUrl: "https://w.example.com", headers: { Authorization: "s3cr3t" } };
      const { command } = homeWith(() => ({ "project/.mcp.json": { mcpServers: { github: evil, wind } } }));
      const { stdout } = await command(...args);
      expect(stdout).toContain("  github\n    starts sh -c 'touch PWNED; sleep 1'\n    env: NODE_OPTIONS\n");
      expect(stdout).toContain("  wind\n    connects to https://w.example.com\n    headers: Authorization\n");
      expect(stdout).not.toContain("s3cr3t");
    },
  );

  test("moves servers that our config accepts, and leaves the others in place", async () => {
    const plain = { command: "uvx", args: ["plain"] };
    const { command, servers } = homeWith(() => ({
      ".cursor/mcp.json": {
        mcpServers: {
          acme: { url: "http://127.0.0.1:9/mcp", auth: { CLIENT_ID: "id", scopes: ["a"] } },
          num: { ...plain, env: { PORT: 3000, UNSET: null } },
          helped: { ...docs, headersHelper: "/bin/token" },
          unset: { ...plain, env: { TOKEN: "${env:NO_SUCH_VARIABLE}" } },
          window: { ...plain, args: ["${workspaceFolder}/x"] },
          both: { ...plain, ...docs },
          lost: { ...plain, cwd: "./sub" },
          off: { ...plain, disabled: true },
          text: "uvx",
        },
      },
    }));
    const { stdout } = await command("--apply");
    for (const why of [
      "helped, which stays: headersHelper: only its client can run it",
      "unset, which stays: the environment variable NO_SUCH_VARIABLE is not set",
      "window, which stays: only an editor can expand ${workspaceFolder}",
      "both, which stays: command and url: expected one of them",
      "lost, which stays: its cwd (./sub) depends on where its client is started",
      "off, which stays: it is disabled",
      "text, which stays: it has neither command nor url",
    ]) {
      expect(stdout).toContain(why);
    }
    expect(Object.keys(servers(".cursor/mcp.json")).toSorted()).toEqual(
      ["both", "helped", "lost", "off", "text", "toolpacks", "unset", "window"].toSorted(),
    );
    expect(Object.keys(servers(place))).toEqual(["acme", "num"]);
  });

  test("resolves relative paths of a project's servers in the project", async () => {
    const { command, servers, project } = homeWith((directory) => ({
      "project/server.js": "",
      "project/sub/.env": "",
      ".claude.json": {
        projects: {
          [path.join(directory, "project")]: {
            mcpServers: {
              sub: { command: "x", cwd: "./sub", envFile: "sub/.env" },
              file: { command: "node", args: ["server.js"] },
              program: { command: "./run" },
              everywhere: { command: "npx", args: ["-y", "@acme/server"] },
            },
          },
        },
      },
    }));
    expect((await command("--apply")).stdout).toContain("what moves from here is there in every project");
    expect(servers(place)).toEqual({
      sub: { command: "x", cwd: path.join(project, "sub"), envFile: path.join(project, "sub/.env") },
      file: { command: "node", args: ["server.js"], cwd: project },
      program: { command: "./run", cwd: project },
      everywhere: { command: "npx", args: ["-y", "@acme/server"] },
    });
  });

  test("moves servers of shared project files only with --shared", async () => {
    const shared = { mcpServers: { git } };
    const { command, servers } = homeWith(() => ({ "project/.mcp.json": shared }));
    const { stdout } = await command("--apply");
    expect(stdout).toContain("git, which stays: others share this file");
    expect(servers("project/.mcp.json")).toEqual(shared.mcpServers);
    const told = await command("--apply", "--shared");
    expect(told.stdout).toContain("this file is shared: it will name programs and files of this machine");
    expect(Object.keys(servers("project/.mcp.json"))).toEqual(["toolpacks"]);
  });

  test("moves only the servers that --only names", async () => {
    const { command, servers } = fullHome();
    const wrong = await command("--apply", "--only", "wind,gti");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("--only: no server is named gti; there are git, docs, wind, ask");
    await command("--apply", "--only", "wind");
    expect(Object.keys(servers(place))).toEqual(["wind"]);
    expect(Object.keys(servers(".claude.json"))).toEqual(["docs"]);
  });

  test("treats a server in our config file as moved, unless it is disabled there", async () => {
    const { command, servers } = homeWith(() => ({
      [desktop]: { mcpServers: { git, docs } },
      [place]: { mcpServers: { mine: git, git, docs: { ...docs, disabled: true } } },
    }));
    expect((await command("--apply")).stdout).toContain("toolpacks.config.jsonc: docs-claude-desktop\n");
    expect(servers(place)).toMatchObject({ git, "docs-claude-desktop": docs });
    expect(Object.keys(servers(desktop))).toEqual(["toolpacks"]);
  });

  test.each([
    ["--root", "/home/me/project", "--write"],
    ["serve", "--surface", "direct"],
  ])("adds our config file to a toolpacks entry without one, and keeps its arguments: %j", async (...args) => {
    const own = { command: "npx", args: ["-y", "toolpacks", ...args] };
    const { command, servers, read, directory } = homeWith(() => ({ [desktop]: { mcpServers: { own, git } } }));
    const before = read(desktop);
    await command("--apply");
    const config = path.join(directory, place);
    expect(servers(desktop)).toEqual({ own: { ...own, args: [...own.args, "--config", config] } });
    await command("--undo");
    expect(read(desktop)).toBe(before);
  });

  test.each([
    ["--config", "/home/me/other.json"],
    ["--facet", "filesystem"],
    ["relay", "--", "uvx", "mcp-server-git"],
  ])("does not change a toolpacks entry that serves something else: %j", async (...args) => {
    const toolpacks = { command: "npx", args: ["-y", "toolpacks", ...args] };
    const { command, servers } = homeWith(() => ({ [desktop]: { mcpServers: { toolpacks, git } } }));
    await command("--apply");
    const { "toolpacks-2": ours, ...others } = servers(desktop);
    expect(others).toEqual({ toolpacks });
    expect(ours?.args?.at(-1)).toMatch(/toolpacks\.config\.jsonc$/);
  });

  test("writes nothing if our config file cannot be used", async () => {
    const { command, read } = homeWith(() => ({ [desktop]: { mcpServers: { git } }, [place]: { surfaces: "direct" } }));
    const before = read(desktop);
    const { code, stderr } = await command("--apply");
    expect(code).toBe(2);
    expect(stderr).toContain("surfaces: unknown field, did you mean surface?");
    expect(read(desktop)).toBe(before);
  });

  test("writes nothing if the import record is invalid", async () => {
    const { command, read, directory } = homeWith(() => ({
      [desktop]: { mcpServers: { git } },
      "data/toolpacks/client-changes.json": "{",
    }));
    const before = read(desktop);
    const { code, stderr } = await command("--apply");
    expect(code).toBe(2);
    expect(stderr).toContain("client-changes.json is not a valid record of changes");
    expect(read(desktop)).toBe(before);
    expect(existsSync(path.join(directory, place))).toBe(false);
  });
});

describe.skipIf(process.platform !== "linux")("import-clients for a person", () => {
  const files = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/me"] };
  const memory = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };

  test("shows the entry that replaces the servers, their new names, and what no longer works", async () => {
    const { command, directory } = homeWith(() => ({
      ".claude.json": { mcpServers: { files, memory } },
      ".cursor/mcp.json": { mcpServers: { files: { command: "other", env: { KEY: "s3cr3t" } } } },
      [place]: { mcpServers: { memory: { ...memory, disabled: true } } },
    }));
    const renamed = "  memory → memory-claude-code (another server has the name memory)\n";
    const { stdout } = await command();
    expect(stdout).toContain(renamed);
    expect(stdout).toContain("  files → files-cursor (another server has the name files)\n");
    expect(stdout).toContain(
      `changes of ${directory}/.claude.json:\n  - mcpServers.files\n  - mcpServers.memory\n  + {\n  +   "mcpServers": {\n  +     "toolpacks": {\n`,
    );
    expect(stdout).toContain("such as mcp__files__…, no longer match\n");
    expect(stdout).not.toContain("s3cr3t");
    expect((await command("--apply")).stdout).toContain(renamed);
  });

  test("shows the new name of a server that has the name of a pack", async () => {
    const { command } = homeWith(() => ({ [desktop]: { mcpServers: { memory: { command: "uvx" } } } }));
    const renamed = "  memory → mcp-memory (the pack memory has that name)\n";
    expect((await command()).stdout).toContain(renamed);
    expect((await command("--apply")).stdout).toContain(renamed);
  });

  test("uses the block of a server that our config file has already, with its edits", async () => {
    const { command, servers, write, directory } = homeWith(() => ({ [desktop]: { mcpServers: { git, docs } } }));
    await command("--apply");
    const edited = { ...git, tools: { git_reset: { hide: true } } };
    write(place, { mcpServers: { git: edited, docs } });
    const undone = await command("--undo");
    expect(undone.code).toBe(0);
    expect(undone.stdout).toContain(`${directory}/${place}: kept: it was changed since.`);
    const again = await command("--apply");
    expect(again.stdout).toContain("nothing new");
    expect(servers(place)).toEqual({ git: edited, docs });
    expect(Object.keys(servers(desktop))).toEqual(["toolpacks"]);
    await command("--undo");

    // Another account, or a limit that only the client has, is another server.
    const limited = { ...docs, disabledTools: ["x"] };
    write(desktop, { mcpServers: { git: { ...git, env: { TOKEN: "other" } }, docs: limited } });
    await command("--apply");
    expect(Object.keys(servers(place))).toEqual(["git", "docs", "git-claude-desktop", "docs-claude-desktop"]);
  });
});

describe.skipIf(process.platform !== "linux")("import-clients in a hostile project", () => {
  test("does not move a server named __proto__, and our config file stays usable", async () => {
    const shared = '{"mcpServers":{"__proto__":{"command":"x"},"good":{"command":"y","env":{}}}}';
    const { command, read, servers, toolpacks } = homeWith(() => ({ "project/.mcp.json": shared }));
    const { stdout } = await command("--shared", "--apply");
    expect(stdout).toContain("__proto__, which stays: __proto__: this key is not allowed");
    expect(read("project/.mcp.json")).toContain("__proto__");
    expect(Object.keys(servers(place))).toEqual(["good"]);
    expect((await toolpacks("tools")).code).toBe(0);
  });

  test("skips a shared file that is a link out of the project", async () => {
    const outside = '{"mcpServers":{"a":{"command":"x"}}}';
    const { command, directory, read } = homeWith(() => ({ "outside.json": outside }));
    symlinkSync(path.join(directory, "outside.json"), path.join(directory, "project/.mcp.json"));
    const { stderr } = await command("--shared", "--apply");
    expect(stderr).toContain(`it is a link to ${directory}/outside.json`);
    expect(read("outside.json")).toBe(outside);
  });

  test("skips a shared file over 256 KiB", async () => {
    const mcpServers = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`s${at}`, { command: "x" }]));
    const { command } = homeWith(() => ({ "project/.mcp.json": { mcpServers } }));
    const { stdout, stderr } = await command("--shared");
    expect(stderr).toContain(".mcp.json");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toBe("there is nothing to move\n");
  });
});
