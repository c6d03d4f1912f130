import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serveRaw } from "../serve.fixture.ts";

const rough = fileURLToPath(new URL("../../../../packages/upstream/src/rough-server.fixture.ts", import.meta.url));

/** A folder with a config file and its own caches. */
function workplace(mcpServers: object, more: object = {}): string {
  const directory = folder();
  const blocks = Object.entries(mcpServers).map(([key, block]) => [key, { cwd: directory, ...(block as object) }]);
  const config = { mcpServers: Object.fromEntries(blocks) as object, ...more };
  writeFileSync(path.join(directory, "toolpacks.config.json"), JSON.stringify(config));
  // Servers started as plain processes get this process's environment.
  process.env["XDG_CACHE_HOME"] = path.join(directory, "cache");
  process.env["XDG_DATA_HOME"] = path.join(directory, "data");
  return directory;
}

const before = { cache: process.env["XDG_CACHE_HOME"], data: process.env["XDG_DATA_HOME"] };
afterEach(() => {
  for (const [name, value] of [
    ["XDG_CACHE_HOME", before.cache],
    ["XDG_DATA_HOME", before.data],
  ] as const) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

const block = (log: string, more: object = {}) => ({
  command: process.execPath,
  args: [rough, "plain", log],
  cwd: ".",
  ...more,
});

describe("mcpServers", () => {
  test("mounts a block in the format of clients, and calls its tools by name", async () => {
    const cwd = workplace({ Rough: { ...block("log"), type: "stdio", alwaysAllow: ["say"] } });
    const { stdout, stderr, code } = await run(["call", "rough_say", '{"text":"hello"}'], { cwd });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain('"text":"hello"');
  });

  test("avoids names of bundled packs, keeps names unique, and leaves out disabled servers and unset variables", async () => {
    const cwd = workplace({
      filesystem: block("a"),
      fs: block("b"),
      "My Server": block("c"),
      my_server: block("d"),
      off: block("e", { disabled: true }),
      secret: block("f", { env: { TOKEN: "${NO_SUCH_VARIABLE}" } }),
      fine: block("g", { env: { TOKEN: "${NO_SUCH_VARIABLE:-none}" } }),
    });
    const { stdout, code } = await run(["doctor", "--json"], { cwd });
    expect(code).toBe(1);
    const report = JSON.parse(stdout) as {
      servers: { facet: string; tools: number }[];
      leftOut: { name: string; reason: string }[];
    };
    expect(new Set(report.servers.map(({ tools }) => tools))).toEqual(new Set([12]));
    const facets = report.servers.map(({ facet }) => facet);
    expect(facets).toEqual(["mcp-filesystem", "mcp-fs", "my-server", "mcp-my-server", "fine"]);
    const reasons = Object.fromEntries(report.leftOut.map(({ name, reason }) => [name, reason]));
    expect(reasons["off"]).toBe("it is disabled");
    expect(reasons["secret"]).toBe("the environment variable NO_SUCH_VARIABLE is not set");
  });

  test("keeps names of different servers' tools apart", async () => {
    const cwd = workplace({ git: block("a", { args: [rough, "tools.json"] }), "git-hub": block("b") });
    const tools = [{ name: "hub_say", inputSchema: { type: "object" } }];
    writeFileSync(path.join(cwd, "tools.json"), JSON.stringify(tools));
    const { stdout } = await run(["doctor", "--json"], { cwd });
    const { mounted } = JSON.parse(stdout) as { mounted: { facet: string; tools: number }[] };
    expect(mounted).toEqual(
      expect.arrayContaining([
        { facet: "git", tools: 1 },
        { facet: "git-hub", tools: 12 },
      ]),
    );
    // The other takes anything.
    const { stdout: output, stderr } = await run(["call", "git_hub_say", '{"text":5}'], { cwd });
    expect(output + stderr).toContain("invalid_input: text");
  });

  test("leaves out an unusable block, explains it at the start and in doctor, and mounts the others", async () => {
    const blocks = {
      both: block("a", { url: "https://example.com" }),
      unset: block("b", { env: { TOKEN: "${NO_SUCH_VARIABLE}" } }),
      off: { command: 7, disabled: true },
      rough: block("log", { env: { PORT: 3000, NONE: null }, change: "hold" }),
    };
    const cwd = workplace(blocks, { expose: ["core", "both", "off"], deny: ["both_die"] });
    const wrong = [
      "mcpServers.both is left out: command and url: expected one of them",
      "mcpServers.unset is left out: the environment variable NO_SUCH_VARIABLE is not set",
      'mcpServers.rough: unknown field "change" (did you mean "changes"?)',
    ];
    const server = serveRaw([], { cwd });
    server.send(initialize);
    await server.answer(1);
    for (const problem of wrong) expect(server.output.stderr).toContain(`toolpacks: ${problem}\n`);
    server.end();
    expect(await server.ended).toBe(0);
    expect((await run(["call", "rough_say"], { cwd })).code).toBe(0);
    const doctor = await run(["doctor"], { cwd });
    expect(doctor.code).toBe(1);
    const problems = doctor.stdout.split("\n").filter((line) => line.startsWith("✗ "));
    expect(problems.map((problem) => problem.replace(/^✗ .*\.json:1:\d+: /, ""))).toEqual(wrong);
    const call = await run(["call", "both_say"], { cwd });
    expect(call.stderr).toContain("the both pack is not mounted: command and url: expected one of them");
  });

  test("doctor names tools of a block that its server does not have", async () => {
    const tools = { rough_die: { hide: true }, say: { keywords: ["shout"] } };
    const cwd = workplace({ rough: block("log", { tools, disabledTools: ["never"] }) });
    const { stdout, code } = await run(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain(
      "✗ rough: its block names the tool rough_die, which it does not have; did you mean die?\n" +
        "✗ rough: its block names the tool never, which it does not have",
    );
    expect(stdout).not.toContain("the tool say");
  });

  test("keeps offers of servers in the home folder, also with relative XDG variables", async () => {
    const cwd = workplace({ rough: block("log") });
    const home = folder();
    const env = { HOME: home, XDG_DATA_HOME: "data", XDG_CACHE_HOME: "cache" };
    expect((await run(["call", "rough_say", '{"text":"hello"}', "--store", "s.db"], { cwd, env })).code).toBe(0);
    expect(["data", "cache"].filter((name) => existsSync(path.join(cwd, name)))).toEqual([]);
    expect(existsSync(path.join(home, "cache/toolpacks/upstream"))).toBe(true);
  });

  test("shows no secret of a block in doctor", async () => {
    const cwd = workplace({ rough: block("log", { env: { TOKEN: "s3cr3t" } }) });
    const { stdout } = await run(["doctor"], { cwd });
    expect(stdout).toContain("server: rough, rough 1, 12 tools");
    expect(stdout).not.toContain("s3cr3t");
  });

  test("of a server whose tools have changed: doctor reports them until they are accepted", async () => {
    const cwd = workplace({ rough: block("log") });
    expect((await run(["doctor"], { cwd })).stdout).toContain("no problems");
    writeFileSync(path.join(cwd, "log.changes"), JSON.stringify({ description: "Another." }));
    const changed = await run(["doctor"], { cwd });
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/✗ rough: since its tools were accepted, say has another description/);
    const shown = /say has another description\n *- Says a text\.\n *\+ Another\.\n/;
    expect(changed.stdout).toMatch(shown);
    const accepted = await run(["accept", "rough"], { cwd });
    expect(accepted.stdout).toMatch(shown);
    expect(accepted.stdout).toContain("accepted: 12");
    expect((await run(["doctor"], { cwd })).stdout).toContain("no problems");
  });

  test("of a named config file: commands in hints find the file again", async () => {
    const log = path.join(folder(), "log");
    const directory = workplace({ rough: block(log) });
    const named = ["--config", path.join(directory, "toolpacks.config.json")];
    const cwd = folder();
    await run(["doctor", ...named], { cwd });
    writeFileSync(`${log}.changes`, JSON.stringify({ description: "Another." }));
    const advice = `toolpacks accept rough ${named.join(" ")}`;
    expect((await run(["doctor", ...named], { cwd })).stdout).toContain(`to accept: ${advice}\n`);
    expect((await run(["call", "rough_say", ...named], { cwd })).stderr).toContain(`accept with ${advice}\n`);
    expect((await run(["accept", "rough"], { cwd })).stderr).toBe(
      "toolpacks: no server is named rough: no config file was found; name one with --config <file>\n",
    );
    expect((await run(advice.split(" ").slice(1), { cwd })).stdout).toContain("accepted: 12");
  });

  test("of a server that runs on this machine is rejected", async () => {
    const cwd = workplace({ rough: block("log") });
    const { code, stderr } = await run(["sign-in", "rough"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toBe("toolpacks: invalid_input: rough runs on this machine: a sign-in needs a server with a url\n");
    const other = await run(["sign-in", "other"], { cwd });
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/toolpacks\.config\.json: mcpServers: no server is named other; there are rough\n/);
  });

  test("of a slow server: doctor names the server and its last output while it waits", async () => {
    const script = 'console.error("downloading 40 %"); setTimeout(() => process.exit(4), 2600)';
    const cwd = workplace({ lazy: { command: process.execPath, args: ["-e", script] } });
    const { stdout, stderr } = await run(["doctor"], { cwd });
    expect(stderr).toMatch(/^waiting for lazy \(2 s\): downloading 40 %$/m);
    expect(stdout).toContain("lazy cannot be started: it ended with exit code 4 before it answered");
  });

  test("of a server that cannot start: doctor explains it, and the rest is served", async () => {
    const cwd = workplace({ gone: { command: "no-such-program-anywhere" }, rough: block("log") });
    const { stdout, code } = await run(["doctor"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ gone cannot be used: .*no-such-program-anywhere/);
    expect((await run(["call", "rough_say"], { cwd })).code).toBe(0);
  });

  test("a step of a workflow calls a server's tool", async () => {
    const steps = [{ id: "hello", tool: "rough_say", params: { text: "hello" } }];
    const cwd = workplace({ rough: block("log") }, { workflows: { repeat: { description: "Repeats.", steps } } });
    const { stdout, code } = await run(["call", "workflow_run", '{"name":"repeat"}'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/"pid":\d+,"text":"hello"/);
  });

  test("denies one tool of a server without a request to the server", async () => {
    const cwd = workplace({ rough: block("log") }, { deny: ["rough_die"] });
    const { stderr, code } = await run(["call", "rough_die"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^denied: rough_die is denied/);
  });
});

const listed = (answer: Record<string, unknown>) =>
  (answer["result"] as { tools: { name: string; description: string }[] }).tools;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("serve with another server", () => {
  test("lists the same tools, and ends the server that it started", async () => {
    const cwd = workplace({ rough: block("log") });
    const bare = serveRaw([], { cwd: workplace({}) });
    const mounted = serveRaw([], { cwd });
    for (const server of [bare, mounted]) {
      server.send(initialize);
      await server.answer(1);
      server.send({ id: 2, method: "tools/list" });
    }
    expect(listed(await mounted.answer(2))).toEqual(listed(await bare.answer(2)));
    bare.end();
    const args = { name: "rough_fork", args: {} };
    mounted.send({ id: 3, method: "tools/call", params: { name: "tool_invoke", arguments: args } });
    const { content } = (await mounted.answer(3))["result"] as { content: { text: string }[] };
    const helper = Number(content[0]?.text);
    expect(process.kill(helper, 0)).toBe(true);
    mounted.end();
    expect(await mounted.ended).toBe(0);
    // A killed process is there until the system has noticed.
    await expect.poll(() => isAlive(helper), { timeout: 3_000 }).toBe(false);
  });

  const pidsIn = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : []);
  const invocation = (id: number, name: string) => ({
    id,
    method: "tools/call",
    params: { name: "tool_invoke", arguments: { name, args: {} } },
  });
  const manner = (name: string) => ({ command: process.execPath, args: [rough, name, name], cwd: "." });

  test.each([
    ["its answer", "stubborn"],
    ["its start", "silent"],
  ])("ends soon after its client, while a call of a server waits for %s", async (_, how) => {
    const cwd = workplace({ rough: manner(how) });
    const server = serveRaw([], { cwd });
    server.send(initialize);
    await server.answer(1);
    server.send(invocation(2, "rough_hang"));
    const servers = () => pidsIn(path.join(cwd, how));
    await expect.poll(servers, { timeout: 5_000 }).toHaveLength(1);
    const began = performance.now();
    server.end();
    expect(await server.ended).toBe(0);
    // Clients wait for two seconds and then as long again, before they kill.
    expect(performance.now() - began).toBeLessThan(3_000);
    await expect.poll(() => servers().filter(isAlive), { timeout: 5_000 }).toEqual([]);
  });

  test("on the two-tool surface starts without waiting, announces tools once they are known, and renames a parameter", async () => {
    const cwd = workplace({ rough: block("log") });
    const server = serveRaw(["--surface", "two-tool"], { cwd });
    server.send(initialize);
    await server.answer(1);
    server.send({ id: 2, method: "tools/list" });
    const [first] = listed(await server.answer(2));
    expect(first?.description).not.toContain("rough");
    while (!server.output.stdout.includes("tools/list_changed")) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    server.send({ id: 3, method: "tools/list" });
    expect(listed(await server.answer(3))[0]?.description).toContain("rough: [");
    const context = { workspaceId: "default", sessionId: "s", memory: "none", goal: "find out" };
    const request = [{ pack: "rough", tools: ["plan"] }];
    server.send({ id: 4, method: "tools/call", params: { name: "getTools", arguments: { context, request } } });
    expect(JSON.stringify(await server.answer(4))).toContain("tool_goal: string");
    server.end();
    await server.ended;
  });
});
