import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const lines = Array.from({ length: 20_000 }, (_, at) => `${at}: the quick brown fox ${"é".repeat(at % 20)}`);
lines[12_345] = "12345: the needle";
const long = `${lines.join("\n")}\n`;

const config = { roots: ["."], write: true, packs: { filesystem: { maxReadBytes: 5_000_000 } } };

function project(more: object = {}): string {
  return folder({ "long.txt": long, "toolpacks.config.json": JSON.stringify({ ...config, ...more }) });
}

async function connect(cwd: string, flags: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["--trust", "--store", "store.db", ...flags];
  await client.connect(serverTransport(args, { cwd }));
  return client;
}

type Result = Awaited<ReturnType<Client["callTool"]>>;

const call = (client: Client, name: string, args: object) => client.callTool({ name, arguments: { ...args } });
const textOf = ({ content }: Result) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
const handleIn = (result: unknown) => /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(result))?.[0] ?? "none";

test("a long file is read, searched and copied byte for byte in a few tokens, also by another server of the store", async () => {
  const cwd = project();
  const [one, other] = [await connect(cwd), await connect(cwd)];
  const read = await call(one, "tool_read", { name: "fs_read", args: { path: "long.txt" } });
  expect(encode(JSON.stringify(read.content)).length).toBeLessThan(220);
  const handle = handleIn(read);
  const grep = { handle, mode: "grep", pattern: "needle" };
  expect(textOf(await call(other, "relay_read", grep))).toBe("12346: 12345: the needle");
  await call(other, "tool_invoke", { name: "fs_write", args: { path: "copy.txt", content: handle } });
  expect(readFileSync(path.join(cwd, "copy.txt"), "utf8")).toBe(long);
  expect((await other.readResource({ uri: handle })).contents).toMatchObject([{ uri: handle, text: long }]);

  const kept = await call(one, "store_put", { kind: "note", record: { text: `\${${handle}#lines=12346-12346}` } });
  expect(textOf(kept)).toContain("12345: the needle");
  await Promise.all([one.close(), other.close()]);

  const traced = await run(["call", "trace_search", '{"query":"fs_write copy"}', "--store", "store.db", "--json"], {
    cwd,
  });
  expect(traced.stdout).toContain(handle);
  expect(traced.stdout).not.toContain("19: the quick brown fox");
  expect(traced.stdout.length).toBeLessThan(1_500);
});

test("steps of a workflow get whole results, and handles in their params are resolved when they run", async () => {
  const cwd = project();
  const client = await connect(cwd);
  const handle = handleIn(await call(client, "tool_read", { name: "fs_read", args: { path: "long.txt" } }));
  const steps = [
    { id: "read", tool: "fs_read", params: { path: "long.txt" } },
    { tool: "fs_write", params: { path: "whole.txt", content: "${steps.read.files[0].text}" } },
    { tool: "fs_write", params: { path: "handle.txt", content: handle } },
    { tool: "fs_write", params: { path: "line.txt", content: `\${${handle}#lines=1-1}` } },
    { tool: "fs_write", params: { path: "input.txt", content: "${input.text}" } },
  ];
  const ran = await call(client, "workflow_eval", { steps, input: { text: handle } });
  expect(ran.isError, textOf(ran)).not.toBe(true);
  for (const name of ["whole.txt", "handle.txt", "input.txt"]) {
    expect(readFileSync(path.join(cwd, name), "utf8") === long, name).toBe(true);
  }
  expect(readFileSync(path.join(cwd, "line.txt"), "utf8")).toBe(`${lines[0]}\n`);
  const report = await call(client, "tool_read", { name: "workflow_report", args: { format: "json" } });
  expect(textOf(report).length).toBeLessThan(4_000);
  await client.close();
});

test("a long result of a workflow is a handle that another server of the store can open", async () => {
  const cwd = project();
  const [one, other] = [await connect(cwd), await connect(cwd)];
  const steps = [{ tool: "fs_read", params: { path: "long.txt" } }];
  const handle = handleIn(await call(one, "workflow_eval", { steps }));
  const pick = { handle, mode: "pick", pattern: "$.files[0].path" };
  expect(textOf(await call(other, "relay_read", pick))).toContain("long.txt");
  const { contents } = await other.readResource({ uri: handle });
  const [{ text } = { text: "" }] = contents as { text: string }[];
  expect(JSON.parse(text)).toMatchObject({ files: [{ text: long }] });
  await call(one, "tool_invoke", {
    name: "fs_write",
    args: { path: "copy.txt", content: `${handle}#json=$.files[0].text` },
  });
  expect(readFileSync(path.join(cwd, "copy.txt"), "utf8")).toBe(long);
  await Promise.all([one.close(), other.close()]);
});

test("a command prints whole results, and the relay is off if its tool cannot be called", async () => {
  const cwd = project();
  const whole = await run(["call", "fs_read", '{"path":"long.txt"}'], { cwd });
  expect(whole.stdout).toContain("19999: the quick");
  const settings: [object, string[]][] = [
    [{ relay: false }, []],
    [{}, ["--deny", "relay"]],
    [{}, ["--surface", "direct"]],
  ];
  for (const [more, flags] of settings) {
    const client = await connect(project(more), flags);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("relay_read");
    expect(client.getServerCapabilities()?.resources).toBeUndefined();
    const name = flags.includes("direct") ? "fs_read" : "tool_read";
    const args = name === "fs_read" ? { path: "long.txt" } : { name: "fs_read", args: { path: "long.txt" } };
    expect(textOf(await call(client, name, args)).length).toBeGreaterThan(long.length - 10);
    await client.close();
  }
});

test("the config file sets the threshold of each tool, and a read-only server keeps values in memory", async () => {
  const relay = {
    thresholdTokens: 200,
    toolThresholdTokens: { fs_read: false, fs_list: 100 },
    mode: "json",
    page: 500,
  };
  const cwd = project({ relay });
  const client = await connect(cwd, ["--read-only"]);
  expect(handleIn(await call(client, "tool_read", { name: "fs_read", args: { path: "long.txt" } }))).toBe("none");
  const described = await call(client, "tool_search", { query: "read a file" });
  expect(handleIn(described)).toBe("none");
  for (let at = 0; at < 40; at += 1) writeFileSync(path.join(cwd, `file-${at}.txt`), "");
  const list = await call(client, "tool_read", { name: "fs_list", args: { path: ".", limit: 100 } });
  expect(textOf(list)).toMatch(/^\{"type":"resource_link","uri":"relay:/);
  const page = textOf(await call(client, "relay_read", { handle: handleIn(list) }));
  expect(page).toMatch(/next: start \d+\]$/);
  expect(page.length).toBeLessThan(600);
  await client.close();
  for (const [wrong, error] of [
    [{ treshold: 1 }, "relay.treshold: unknown field"],
    [{ tools: { fs_read: 65_536 } }, "relay.tools: unknown field"],
  ] as const) {
    const doctor = await run(["doctor"], { cwd: project({ relay: wrong }) });
    expect(doctor.stdout).toContain(error);
    expect(doctor.code).toBe(1);
  }
});

const answers = { "7": { title: "Swap the shop's cache", files: lines.slice(0, 9_000) } };

test.each([
  ["direct", ["--surface", "direct"]],
  ["two packs of direct", ["--surface", "direct", "--expose", "workflows,github"]],
  ["one facet", ["--facet", "github"]],
])(
  "a large result of another server is a handle on %s too, if the config file turns the relay on",
  async (_, flags) => {
    const answered = path.join(folder({ "answers.json": JSON.stringify(answers) }), "answers.json");
    const args = [fileURLToPath(new URL("github-server.fixture.ts", import.meta.url)), answered];
    const mcpServers = { github: { command: process.execPath, args, firstListTimeoutSeconds: 30 } };
    const client = await connect(project({ relay: true, mcpServers }), flags);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const read = { method: "get", owner: "acme", repo: "shop", pullNumber: 7 };
    const result = await call(client, "github_pull_request_read", read);
    expect(textOf(result).length, textOf(result).slice(0, 300)).toBeLessThan(4_000);
    expect(handleIn(result), textOf(result)).not.toBe("none");
    const pick = { handle: handleIn(result), mode: "pick", pattern: "$.files[8123]" };
    expect(names).toContain("relay_read");
    expect(textOf(await call(client, "relay_read", pick))).toContain("8123: the quick brown fox");
    expect(names.includes("workflow_eval")).toBe(!flags.includes("--facet"));
    if (names.includes("workflow_eval")) {
      const steps = [{ id: "pr", tool: "github_pull_request_read", params: read }];
      expect(textOf(await call(client, "workflow_eval", { steps })).length).toBeLessThan(4_000);
    }
    await client.close();
  },
);

test("a client is told how long results may be, which follows from the thresholds", async () => {
  const sizes = async (more: object, flags: readonly string[] = []) => {
    const client = await connect(project(more), flags);
    const { tools } = await client.listTools();
    await client.close();
    return Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta?.["anthropic/maxResultSizeChars"]]));
  };
  expect(await sizes({})).toMatchObject({ tool_invoke: 96_000, tool_read: 96_000, relay_read: 96_000 });
  const relay = { thresholdTokens: 1_000, toolThresholdTokens: { fs_read: 5_000 } };
  const exposed = await sizes({ relay, expose: ["core", "filesystem"] });
  expect(exposed).toMatchObject({ tool_invoke: 120_000, fs_read: 120_000, fs_list: 24_000 });
  expect(await sizes({ relay: { toolThresholdTokens: { fs_read: false } } })).toMatchObject({ tool_invoke: 500_000 });
  expect(await sizes({}, ["--surface", "two-tool"])).toMatchObject({ useTools: 96_000 });
  for (const size of Object.values(await sizes({ relay: false }))) expect(size).toBeUndefined();
});

test("on auto the relay is on with discovery, and with direct if the config file turns it on", async () => {
  for (const [settings, expected] of [
    [{ autoBudget: 100 }, true],
    [{ autoBudget: 100_000 }, false],
    [{ autoBudget: 100_000, relay: true }, true],
  ] as const) {
    const client = await connect(project(settings), ["--surface", "auto"]);
    expect((await client.listTools()).tools.some(({ name }) => name === "relay_read")).toBe(expected);
    await client.close();
  }
});
