import { linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { roughPack } from "../rough-pack.fixture.ts";
import { folder, run } from "../run-cli.fixture.ts";
import { evilPack, evilServer, hasRun, hostileProject, session, tools } from "./trust.fixture.ts";

const untrusted = { isTrusted: false } as const;

describe("an untrusted config file of a project", () => {
  test("runs and allows nothing over the wire, and says so at the start and when its tools are called", async () => {
    const cwd = hostileProject();
    const { stderr, call, end } = await session(["--root", "."], cwd);
    expect(stderr()).toContain(
      `toolpacks: ${cwd}/toolpacks.config.json is not trusted, so what only a trusted file may set is ignored: ` +
        `write, mcpServers.evil_server, packs../evil.mjs. To see what it would run and allow, and to trust it: toolpacks trust ${cwd}\n`,
    );
    const written = await call("fs_write", { path: "made.txt", content: "x" });
    expect(written).toContain(
      `denied: fs_write cannot be called: writing is off, since ${cwd}/toolpacks.config.json is not trusted`,
    );
    const asked = await call("evil_server_anything");
    expect(asked).toContain(`the evil-server pack is not mounted: ${cwd}/toolpacks.config.json is not trusted`);
    expect(asked).toContain("The user can trust the file, on a terminal");
    expect(await call("note_add")).toContain("Or the pack ./evil.mjs is not mounted: ");
    expect(await call("fs_copy", {})).toContain("denied");
    await end();
    expect(hasRun(cwd)).toBe(false);
  });

  test.each([
    ["tools"],
    ["budget"],
    ["call", "fs_list"],
    ["search", "read a file"],
    ["doctor"],
    ["accept", "evil-server"],
    ["sign-in", "evil-server", "--no-browser"],
  ])("runs nothing in toolpacks %s", async (...args) => {
    const cwd = hostileProject();
    const { stderr, stdout } = await run([...args, "--root", "."], { cwd, ...untrusted });
    expect(stderr + stdout).toContain("toolpacks.config.json is not trusted");
    expect(hasRun(cwd)).toBe(false);
  });

  test.each([
    ["toolpacks.config.json", `{"$schema":"https://example.com/s.json","packs":{"./evil.mjs":{}}}`],
    ["toolpacks.config.jsonc", `// harmless\n{"packs":{"./evil.mjs":true},}`],
    ["toolpacks.config.yaml", `packs: { ./evil.mjs: {} }\n`],
    ["toolpacks.config.toml", `[packs."./evil.mjs"]\n`],
  ])("runs nothing as %s, also in a parent folder", async (name, text) => {
    const top = folder({ "evil.mjs": evilPack, [name]: text });
    const cwd = path.join(top, "deep");
    mkdirSync(cwd);
    const { stderr } = await tools(cwd);
    expect(stderr).toContain(
      `${name} is not trusted, so what only a trusted file may set is ignored: packs../evil.mjs.`,
    );
    expect(hasRun(top)).toBe(false);
    await tools(cwd, "--config", path.join(top, name));
    expect(hasRun(top)).toBe(true);
  });

  test("is a problem for doctor, which starts and imports nothing", async () => {
    const cwd = hostileProject();
    const { stdout, code } = await run(["doctor", "--json", "--root", "."], { cwd, ...untrusted });
    expect(code).toBe(1);
    const report = JSON.parse(stdout) as { ignored: string[]; problems: string[]; leftOut: { name: string }[] };
    expect(report.ignored).toEqual(["write", "mcpServers.evil_server", "packs../evil.mjs"]);
    expect(report.problems).toEqual([expect.stringContaining("is not trusted")]);
    expect(report.leftOut.map(({ name }) => name)).toEqual([
      "canvas",
      "prompts",
      "tracker-sync",
      "evil-server",
      "./evil.mjs",
    ]);
    expect(hasRun(cwd)).toBe(false);
  });

  test("sends no variable of the environment anywhere", async () => {
    const blocks = { leak: { command: process.execPath, args: ["-e", "process.exit(1)", "${SECRET}"] } };
    const embeddings = { url: "http://127.0.0.1:9/v1", model: "m", keyVariable: "SECRET" };
    const cwd = folder({ "toolpacks.config.json": JSON.stringify({ mcpServers: blocks, embeddings }) });
    const { stdout } = await run(["doctor", "--json"], { cwd, env: { SECRET: "s3cr3t" }, ...untrusted });
    const { settings } = JSON.parse(stdout) as { settings: Record<string, { value?: unknown }> };
    expect(settings["embeddings"]?.value).toBeUndefined();
    expect(stdout).not.toContain("s3cr3t");
  });

  test("cannot hide the ignored settings, by a quiet log level or by characters of its names", async () => {
    const packs = { "./\u001b[2Jevil\u202e.mjs": {} };
    const cwd = folder({ "toolpacks.config.json": JSON.stringify({ packs, logLevel: "silent" }) });
    const { stderr } = await tools(cwd);
    expect(stderr).toContain(String.raw`logLevel, packs../\u{1b}[2Jevil\u{202e}.mjs.`);
  });

  test("prints no warning of the YAML parser, which would contain characters of its keys", async () => {
    const cwd = folder({ "toolpacks.config.yaml": 'mcpServers:\n  ? ["\u202Egnp.exe"]\n  : { command: touch }\n' });
    const { stderr } = await tools(cwd);
    expect(stderr).toContain("is not trusted");
    expect(stderr).not.toMatch(/Warning|\u202E/);
  });

  test("that links to the trusted file of another project is not trusted", async () => {
    const trusted = folder({ "evil.mjs": evilPack, "toolpacks.config.json": '{"packs":{"./evil.mjs":{}}}' });
    expect((await run(["trust", "--yes"], { cwd: trusted })).code).toBe(0);
    const linking = folder({ "evil.mjs": evilPack });
    symlinkSync(path.join(trusted, "toolpacks.config.json"), path.join(linking, "toolpacks.config.json"));
    const { stderr } = await tools(linking);
    expect(stderr).toContain("is not trusted");
    expect([hasRun(linking), hasRun(trusted)]).toEqual([false, false]);
    await tools(trusted);
    expect(hasRun(trusted)).toBe(true);
  });

  test("that links to the user's own settings is not trusted", async () => {
    const env = { XDG_CONFIG_HOME: folder() };
    const settings = path.join(env.XDG_CONFIG_HOME, "toolpacks");
    mkdirSync(settings);
    const own = path.join(settings, "toolpacks.config.jsonc");
    writeFileSync(own, '{"packs":{"./evil.mjs":{}}}');
    writeFileSync(path.join(settings, "evil.mjs"), evilPack);
    const linking = folder({ "evil.mjs": evilPack });
    symlinkSync(own, path.join(linking, "toolpacks.config.jsonc"));
    const linked = await run(["tools"], { cwd: linking, env, ...untrusted });
    expect(linked.stderr).toContain("is not trusted");
    expect([hasRun(linking), hasRun(settings)]).toEqual([false, false]);
    // Where the user has put it, it is the user's.
    await run(["tools"], { cwd: settings, env, ...untrusted });
    expect(hasRun(settings)).toBe(true);
  });

  test("may name packs in expose and deny that are not mounted, which are ignored", async () => {
    const config = { expose: ["core", "rough"], deny: ["rough_throw"], packs: { "./rough.mjs": {} } };
    const cwd = folder({ "rough.mjs": roughPack, "toolpacks.config.json": JSON.stringify(config) });
    const { stdout, code } = await run(["tools"], { cwd, ...untrusted });
    expect(code).toBe(0);
    expect(stdout).toContain("tool_search");
    expect(stdout).not.toContain("rough");
  });
});

test("an error of a config file contains no terminal control character", async () => {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ "\u001b[2J\u202e": 1 }) });
  const { stderr, code } = await tools(cwd);
  expect(code).toBe(2);
  expect(stderr).toContain(String.raw`\u{1b}[2J\u{202e}: unknown field`);
});

test("a config file that is a FIFO is refused at once", async () => {
  const cwd = folder();
  linkSync(process.env["TEST_FIFO"] ?? "", path.join(cwd, "toolpacks.config.json"));
  const { code, stderr } = await tools(cwd);
  expect(code).toBe(2);
  expect(stderr).toContain("toolpacks.config.json: cannot be read (not a regular file)");
});

describe("toolpacks trust", () => {
  test("shows what would run and be allowed, and applies it afterwards", async () => {
    const cwd = folder({ "evil.mjs": evilPack, "more.env": "A=1" });
    const config = {
      roots: ["."],
      write: true,
      store: "postgres://me:secret@h/db",
      packs: { "./evil.mjs": { depth: 2 }, filesystem: { maxReadBytes: 2048 } },
      mcpServers: {
        evil: { ...evilServer, env: { TOKEN: "${GITHUB_TOKEN}", OTHER: "$OTHER_TOKEN" }, envFile: "more.env" },
        web: { url: "https://example.com/mcp", headers: { Authorization: "Bearer ${WEB_TOKEN:-none}" } },
      },
      embeddings: { url: "http://localhost:9/v1", model: "m", keyVariable: "MY_KEY" },
    };
    writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify(config));
    const refused = await run(["trust"], { cwd });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") as string });
    for (const line of [
      `  roots: files may be reached within ${cwd}\n`,
      "  write: true, which offers the tools that change files\n",
      "  store: postgres://me:***@h/db\n",
      `  packs../evil.mjs: runs the module ${cwd}/evil.mjs with the options {"depth":2}\n`,
      '  packs.filesystem: the bundled pack with the options {"maxReadBytes":2048}\n',
      `  mcpServers.evil: starts the program ${process.execPath} -e 'require("node:fs")`,
      '  mcpServers.evil.env: {"TOKEN":"${GITHUB_TOKEN}","OTHER":"$OTHER_TOKEN"}\n',
      "  mcpServers.evil.envFile: more.env\n",
      "  mcpServers.web: connects to https://example.com/mcp\n",
      '  embeddings: {"url":"http://localhost:9/v1","model":"m","keyVariable":"MY_KEY"}',
      "It reads these variables of the environment: GITHUB_TOKEN, MY_KEY, OTHER_TOKEN, WEB_TOKEN\n",
    ]) {
      expect(refused.stdout).toContain(line);
    }
    expect((await run(["trust", "--list"], { cwd })).stdout).not.toContain(cwd);
    expect((await run(["trust", "--yes", cwd])).stdout).toContain("trusted: ");
    expect((await run(["trust"], { cwd })).stdout).toContain("is trusted already");
    expect((await run(["trust", "--list"])).stdout).toContain(`${cwd}/toolpacks.config.json\n`);
    expect(hasRun(cwd)).toBe(false);
  });

  test("is needed again after a change of the file, and ends by --revoke", async () => {
    const text = JSON.stringify({ packs: { "./evil.mjs": {} } });
    const cwd = folder({ "evil.mjs": evilPack, "toolpacks.config.json": text });
    await run(["trust", "--yes"], { cwd });
    writeFileSync(path.join(cwd, "toolpacks.config.json"), `${text} `);
    expect((await tools(cwd)).stderr).toContain("has changed since it was trusted");
    expect(hasRun(cwd)).toBe(false);
    writeFileSync(path.join(cwd, "toolpacks.config.json"), text);
    await tools(cwd);
    expect(hasRun(cwd)).toBe(true);
    expect((await run(["trust", "--revoke"], { cwd })).stdout).toContain("trusted no longer: ");
    expect((await tools(cwd)).stderr).toContain("is not trusted");
  });

  test("keeps the decisions of concurrent commands, readable only for the user", async () => {
    const projects = Array.from({ length: 5 }, () => folder({ "toolpacks.config.json": '{"write":true}' }));
    await Promise.all(projects.map((cwd) => run(["trust", "--yes"], { cwd })));
    const { stdout } = await run(["trust", "--list"]);
    for (const cwd of projects) expect(stdout).toContain(`${cwd}/toolpacks.config.json\n`);
    const settings = path.join(process.env["XDG_CONFIG_HOME"] ?? "", "toolpacks/trusted");
    const modes = readdirSync(settings).map((name) => statSync(path.join(settings, name)).mode & 0o077);
    expect([statSync(settings).mode & 0o077, ...new Set(modes)]).toEqual([0, 0]);
  });

  test("says when there is nothing to trust, and when no file is found", async () => {
    const cwd = folder({ "toolpacks.config.json": '{"surface":"direct"}' });
    expect((await run(["trust"], { cwd })).stdout).toContain("sets nothing that needs trust");
    expect(await run(["trust"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no config file") as string,
    });
  });
});

describe("--watch", () => {
  test("treats a changed trusted file as untrusted", async () => {
    const config = { write: true, watch: true };
    const cwd = folder({ "evil.mjs": evilPack, "toolpacks.config.json": JSON.stringify(config) });
    await run(["trust", "--yes"], { cwd });
    const { stderr, listChanges, call, end } = await session(["--root", "."], cwd);
    expect(await call("fs_write", { path: "a.txt", content: "x" })).not.toContain("denied");
    const changed = { ...config, expose: ["core", "filesystem"], packs: { "./evil.mjs": {} } };
    // The folder may not be watched yet at the first write.
    const stderrAfterChange = () => {
      writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify(changed));
      return stderr();
    };
    await expect.poll(stderrAfterChange, { interval: 1_000 }).toContain("has changed since it was trusted");
    await expect.poll(listChanges).toBeGreaterThan(0);
    expect(await call("fs_write", { path: "b.txt", content: "x" })).toContain("denied");
    await end();
    expect(hasRun(cwd)).toBe(false);
  });
});
