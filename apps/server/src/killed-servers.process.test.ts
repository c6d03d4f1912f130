import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startModelEndpoint } from "@toolpacks/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { cli, dataFolder, start } from "./command.process.fixture.ts";
import { folder, run } from "./run-cli.fixture.ts";
import { connectServer, serveHttpHere, serveRaw } from "./serve.fixture.ts";
import { initialize } from "./initialize.fixture.ts";
import { startHttp, tokenFile } from "./http-server.process.fixture.ts";
import { connectOverHttp, runMixedLoad } from "./mixed-load.fixture.ts";
import { setTimeout as delay } from "node:timers/promises";
import { postgres } from "@toolpacks/store-postgres";
import { databaseBehindProxy } from "@toolpacks/store-postgres/fixture";
import { note } from "@toolpacks/planner";
import { startLoadBalancer } from "./replicas.process.fixture.ts";

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

async function connect(cwd: string, flags: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [cli, "--trust", "--store", "store.db", ...flags];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env: dataFolder, stderr: "ignore" }),
  );
  return client;
}

async function ask(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

test("two servers and eight writers lose and duplicate no acknowledged record", async () => {
  const cwd = folder();
  const flags = ["--store", "store.db", "--facet", "memory"];
  const here = async () => (await connectServer(flags, { cwd })).client;
  // Each server has its own connections to the store, in one process, too.
  const servers = [await (isCampaign ? connect(cwd, ["--facet", "memory"]) : here()), await here()];
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    const client = servers[writer % 2];
    if (client === undefined) return;
    for (let at = 0; at < 50; at += 1) {
      const args = {
        entity: `e${writer}-${at}`,
        observations: [`Number ${at} of writer ${writer}.`],
        about: ["Shared"],
      };
      const answer = await ask(client, "memory_remember", args);
      expect(answer).toMatch(/^entity e\d-\d+, new\n/);
    }
  });
  await Promise.all(writers);
  await Promise.all(servers.map((client) => client.close()));

  const { stdout } = await run(["export", "--graph", "--workspace", "default", "--store", "store.db"], { cwd });
  const entities = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; observations: string[] });
  expect(new Set(entities.map(({ name }) => name)).size).toBe(401);
  expect(entities).toHaveLength(401);
  expect(entities.flatMap(({ observations }) => observations)).toHaveLength(400);
}, 120_000);

describe("traces", () => {
  const traceCount = async (cwd: string) => {
    const { stdout } = await run(["export", "--store", "store.db"], { cwd });
    return stdout.split("\n").filter((line) => line.startsWith('{"kind":"trace","workspace"')).length;
  };

  test.each(["stdin's end", "SIGTERM"])("of every answered call are in the store after %s", async (how) => {
    const cwd = folder();
    const ending = new AbortController();
    const server = serveRaw(["--store", "store.db"], { cwd, signal: ending.signal });
    server.send(initialize);
    await server.answer(1);
    server.send({ method: "notifications/initialized" });
    for (let id = 2; id <= 41; id += 1) {
      server.send({
        id,
        method: "tools/call",
        params: { name: "tool_read", arguments: { name: "workspace_list", args: {} } },
      });
    }
    await server.answer(41);
    if (how === "SIGTERM") ending.abort("SIGTERM");
    else server.end();
    expect(await server.ended).toBe(0);
    expect(await traceCount(cwd)).toBe(40);
  });

  test("of calls without a pause are in the store after SIGKILL, except the last ones", async () => {
    const cwd = folder();
    const server = start(["--store", "store.db"], cwd);
    server.send(initialize);
    await server.answer(1);
    server.send({ method: "notifications/initialized" });
    const params = { name: "tool_read", arguments: { name: "workspace_list", args: {} } };
    const ended: number[] = [];
    for (const start = performance.now(); performance.now() - start < 3_000;) {
      const id = ended.length + 2;
      server.send({ id, method: "tools/call", params });
      await server.answer(id);
      ended.push(performance.now());
    }
    server.child.kill("SIGKILL");
    const killed = performance.now();
    await server.ended;
    // Each flush begins 250 ms after its first entry. The rest is time for the flush.
    expect(await traceCount(cwd)).toBeGreaterThanOrEqual(ended.filter((at) => at < killed - 1_000).length);
  });
});

const directly = ["--surface", "direct", "--store", "store.db", "--results", "structured", "--write"];

async function callDirectly(client: Client, name: string, given: Record<string, unknown>) {
  const { structuredContent } = await client.callTool({ name, arguments: given }, { timeout: 60_000 });
  return structuredContent as Readonly<Record<string, unknown>>;
}

test("a batch of 100 prompts in three groups is killed and resumed, and no prompt is asked twice whose answer was kept", async () => {
  const endpoint = await startModelEndpoint([
    ({ prompt }) => {
      if (endpoint.asked.length === 55) killed.resolve();
      return `<${prompt.slice(0, 8)}>`;
    },
  ]);
  onTestFinished(() => endpoint.close());
  const killed = Promise.withResolvers<void>();
  const models = { small: { url: endpoint.baseUrl, price: { input: 1, output: 2 } } };
  const home = folder({
    "toolpacks.config.json": JSON.stringify({ packs: { prompts: true }, roots: ["."], models }),
  });
  const first = new Client({ name: "test", version: "1.0.0" });
  const args = [cli, "--trust", ...directly, "--log-level", "silent"];
  const command = { command: process.execPath, args, cwd: home, env: dataFolder };
  const transport = new StdioClientTransport({ ...command, stderr: "ignore" });
  await first.connect(transport);
  const prompts = Array.from({ length: 100 }, (_, at) => {
    const group = at < 40 ? 1 : at < 80 ? 2 : 3;
    return {
      id: `n${at}`,
      group,
      text: group === 1 ? `ask ${at}` : `ask ${at} {{a}}`,
      ...(group > 1 && { answers: { a: `n${at - 40}` } }),
      ...(at % 10 === 0 && { to: { file: `n${at}.md` } }),
    };
  });
  const running = callDirectly(first, "prompt_run", { prompts }).catch(() => undefined);
  await killed.promise;
  process.kill(transport.pid ?? 0, "SIGKILL");
  await running;
  const { client: second } = await connectServer(directly, { cwd: home });
  onTestFinished(() => second.close());
  const left = await callDirectly(second, "workflow_report", { format: "data" });
  const { report, status, results } = left;
  expect(status).toBe("interrupted");
  const kept = Object.keys(results as object).filter((id) => prompts.some((one) => one.id === id));
  expect(kept.length).toBeGreaterThanOrEqual(40);
  expect(kept.length).toBeLessThan(100);
  const value = (await callDirectly(second, "prompt_run", { resume: report })) as { prompts: { status: string }[] };
  expect(value.prompts).toHaveLength(100);
  expect(value.prompts.filter(({ status }) => status !== "answered")).toEqual([]);
  const times = (id: string) =>
    endpoint.asked.filter(({ prompt }) => `${prompt} `.startsWith(`ask ${id.slice(1)} `)).length;
  expect(kept.filter((id) => times(id) !== 1)).toEqual([]);
  // Only the prompts that were on their way when the server was killed may be asked again.
  expect(endpoint.asked.length).toBeLessThanOrEqual(100 + 8);
  for (const { id, to } of prompts) {
    if (to !== undefined)
      expect(readFileSync(path.join(home, to.file), "utf8")).toBe(
        `<ask ${id.slice(1)}${id.length < 5 && Number(id.slice(1)) >= 40 ? " <" : ""}`.slice(0, 9) + ">\n",
      );
  }
});

/** Calls a tool as a model does, and returns the text that the model reads. */
async function invoke(client: Client, name: string, args: object): Promise<string> {
  const { content } = await client.callTool({ name: "tool_invoke", arguments: { name, args } });
  return (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("\n");
}

/** Works on issues until none is ready. Returns their ids and the last answer. */
async function workThrough(client: Client) {
  const unnamed = await invoke(client, "issue_claim", {});
  const [, actor = ""] = /Such as "(\S+)", the same in all your calls/.exec(unnamed) ?? [];
  const done: string[] = [];
  for (;;) {
    const claimed = await invoke(client, "issue_claim", { actor });
    const [, id] = /^(q-\d+) .* in_progress: /.exec(claimed) ?? [];
    if (id === undefined) return { actor, done, last: claimed };
    await invoke(client, "issue_close", { ids: [id], reason: "done" });
    done.push(id);
  }
}

test("two agents that know nothing of each other work through one queue, and take over the issue of a third that is killed", async () => {
  const store = path.join(folder(), "store.db");
  const flags = ["--store", store, "--workspace", "queue", "--log-level", "info"];
  const connect = ({ url }: { readonly url: string }) => connectOverHttp(url, undefined, "modern");
  const start = async () => {
    const server = await serveHttpHere(flags);
    onTestFinished(async () => void (await server.stop()));
    return { client: await connect(server) };
  };
  const killed = await startHttp(flags);
  const [ann, bob, cy] = [await start(), await start(), { client: await connect(killed) }];
  const issues = Array.from({ length: 12 }, (_, at) => ({
    id: `q-${at}`,
    title: `task ${at}`,
    // The first issue holds back two others.
    depends: at === 10 ? ["q-0"] : at === 11 ? ["q-10", "q-5"] : [],
    priority: at === 0 ? 0 : 2,
  }));
  await invoke(cy.client, "issue_create", { issues });
  expect(await invoke(cy.client, "issue_claim", { actor: "cy" })).toMatch(/^q-0 .*@cy/);
  await killed.kill();

  const ended = await Promise.all([workThrough(ann.client), workThrough(bob.client)]);
  expect(new Set(ended.map(({ actor }) => actor)).size).toBe(2);
  const free = Array.from({ length: 9 }, (_, at) => `q-${at + 1}`);
  expect(ended.flatMap(({ done }) => done).toSorted()).toEqual(free);
  for (const { last } of ended) expect(last).toMatch(/^not_found: no issue is ready; q-\d+ is claimed by/);
  expect(ended.map(({ last }) => last).join("\n")).toMatch(/q-0 is claimed by cy until 20\S+Z/);

  // As an hour later.
  await invoke(ann.client, "store_put", {
    kind: "issue",
    id: "q-0",
    patch: true,
    record: { lease_until: "2026-01-01T00:00:00Z" },
  });
  const later = await Promise.all([workThrough(ann.client), workThrough(bob.client)]);
  expect(later.flatMap(({ done }) => done).toSorted()).toEqual(["q-0", "q-10", "q-11"]);
  expect(await invoke(bob.client, "issue_list", {})).toMatch(/^none/);
});

const rough = fileURLToPath(new URL("../../../packages/upstream/src/rough-server.fixture.ts", import.meta.url));

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.skipIf(process.platform === "win32")(
  "a server with another server leaves no process running when it is killed",
  async () => {
    const mcpServers = { rough: { command: process.execPath, args: [rough, "stubborn", "stubborn"] } };
    const cwd = folder({ "toolpacks.config.json": JSON.stringify({ mcpServers }) });
    const server = start([], cwd, { detached: true });
    server.send(initialize);
    await server.answer(1);
    const fork = { name: "tool_invoke", arguments: { name: "rough_fork", args: {} } };
    server.send({ id: 2, method: "tools/call", params: fork });
    const { content } = (await server.answer(2))["result"] as { content: { text: string }[] };
    const pid = server.child.pid ?? 0;
    const processes = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    const children = processes
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === pid);
    const started = [...children.map(([child = 0]) => child), Number(content[0]?.text)];
    // The server, its child processes, and the process that ends them.
    expect(started).toHaveLength(3);
    expect(started.filter(isAlive)).toEqual(started);
    process.kill(-pid, "SIGKILL");
    await server.ended;
    await expect.poll(() => started.filter(isAlive), { timeout: 5_000 }).toEqual([]);
  },
);

/** The campaign runs longer. */
const seconds = isCampaign ? 60 : 8;
/** Besides the one that is killed. */
const survivors = isCampaign ? 2 : 1;

interface Disturbance {
  readonly from: number;
  to: number;
}

test("replicas lose nothing when one is killed and PostgreSQL restarts", async () => {
  const database = await databaseBehindProxy();
  const { file, tokens } = await tokenFile({ ada: ["--workspaces", "ada"], bob: ["--workspaces", "bob"] });
  const start = () => startHttp(["--store", database.address, "--tokens", file, "--results", "both"]);
  const replicas = await Promise.all(Array.from({ length: survivors + 1 }, start));
  const balancer = await startLoadBalancer(replicas);
  const disturbances: Disturbance[] = [];
  const disturb = async (work: () => Promise<void>, settleMs: number) => {
    const one = { from: Date.now(), to: Infinity };
    disturbances.push(one);
    await work();
    one.to = Date.now() + settleMs;
  };
  const report = await runMixedLoad({
    url: balancer.url,
    callers: Object.entries(tokens).map(([name, token]) => ({ name, token })),
    clients: 64,
    ms: seconds * 1_000,
    mayFail: (began, ended) => disturbances.some(({ from, to }) => began <= to && ended >= from),
    async meanwhile() {
      await delay(seconds * 250);
      await disturb(async () => replicas[0]?.kill(), 0);
      balancer.use(replicas.slice(1));
      await delay(seconds * 250);
      await disturb(async () => {
        await database.stop();
        await database.start();
      }, 1_000);
    },
  });
  const store = postgres(database.address);
  try {
    expect(report).toMatchObject({ errors: [], wrong: [], crossed: [] });
    expect(report.calls).toBeGreaterThan(seconds * 20);
    for (const [name, notes] of report.notes) {
      expect(notes.size).toBeGreaterThan(seconds);
      for (const [id, text] of notes) {
        expect((await store.in(name).get(note, id))?.data).toMatchObject({ text });
      }
    }
    for (const replica of replicas.slice(1)) expect(await replica.close()).toBe(0);
    expect(await store.check()).toEqual([]);
  } finally {
    await store.end();
    await balancer.close();
    await database.remove();
  }
}, 240_000);

test("what a server has changed that is killed during its calls is taken back by the next one", async () => {
  const cwd = folder({ "a.txt": "one\n" });
  const killed = await connect(cwd, ["--write", "--root", ".", "--surface", "direct"]);
  const write = (name: string, content: string) =>
    ask(killed, "fs_write", { path: name, content, overwrite: true, parents: true });
  expect(await write("a.txt", "two\n")).toContain("replaced");
  expect(await ask(killed, "store_put", { kind: "note", id: "n", record: { text: "new" } })).toContain("note n");
  const ends = Array.from({ length: 20 }, (_, at) => write(`new-${at}/a.txt`, "new\n").catch(() => ""));
  await Promise.race(ends);
  const { transport } = killed;
  process.kill(transport instanceof StdioClientTransport ? (transport.pid ?? 0) : 0, "SIGKILL");
  await Promise.all(ends);
  const flags = ["--write", "--root", ".", "--trust", "--store", "store.db", "--surface", "direct"];
  const { client } = await connectServer(flags, { cwd, env: dataFolder });
  onTestFinished(() => client.close());
  expect(await ask(client, "undo", { since: "2020-01-01T00:00:00Z" })).toContain("took back");
  expect(readFileSync(path.join(cwd, "a.txt"), "utf8")).toBe("one\n");
  expect(readdirSync(cwd).filter((name) => name.startsWith("new"))).toEqual([]);
  expect(await ask(client, "store_get", { kind: "note", id: "n" })).toMatch(/not_found|no note/);
});
