import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { cli, dataFolder, run } from "./command.process.fixture.ts";
import { folder } from "./run-cli.fixture.ts";
import { initialize } from "./initialize.fixture.ts";

/** The campaign runs more commands. */
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

async function connect(args: readonly string[], cwd: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], cwd, env: dataFolder, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  return client;
}

async function read(client: Client, name: string, args: object): Promise<unknown> {
  return (await client.callTool({ name: "tool_read", arguments: { name, args } })).content;
}

test("the built command runs without installed dependencies", async () => {
  const alone = folder();
  cpSync(path.dirname(cli), alone, { recursive: true });
  const cwd = folder({ "a.txt": "text", "a.go": "package a\n", "toolpacks.config.toml": 'roots = ["."]' });
  const runAlone = async (args: readonly string[]) => {
    const env = { ...process.env, TOOLPACKS_CONFIG: "toolpacks.config.toml" };
    const running = promisify(execFile)(process.execPath, [path.join(alone, "cli.js"), ...args], { cwd, env });
    running.child.stdin?.end();
    return (await running).stdout;
  };
  const client = await connect([path.join(alone, "cli.js"), "--config", "toolpacks.config.toml"], cwd);
  const says = (text: string) => [{ type: "text", text: expect.stringMatching(text) as string }];
  expect(await read(client, "fs_read", { path: "a.txt" })).toEqual(says("^text$"));
  expect(await read(client, "search_text", { pattern: "text" })).toEqual(
    says("unavailable: [^]*npm install @vscode/ripgrep"),
  );
  if (!isCampaign) return;
  expect(await runAlone(["call", "fs_read", '{"path":"a.txt"}'])).toBe("text\n");
  expect(await runAlone(["tools"])).toContain("fs_read");
  expect(await runAlone(["budget"])).toContain("filesystem");
  expect(await runAlone(["doctor"])).toContain("no problems");
  expect(JSON.parse(await runAlone(["config", "schema"]))).toHaveProperty("properties.roots");
  expect(await runAlone(["--version"])).toMatch(/^\d+\.\d+\.\d+/);
  rmSync(path.join(alone, "tree-sitter-go.wasm"));
  await expect(runAlone(["call", "search_symbols", '{"path":"a.go"}'])).rejects.toMatchObject({
    stderr: expect.stringMatching("unavailable: [^]*parsers are missing[^]*install the package again") as string,
  });
});

// The servers on other versions of Node.js find both, too.
test.skipIf(!isCampaign)("the built command finds ripgrep where it is installed, and its parsers", async () => {
  const cwd = folder({ "a.go": "package a\n\nfunc Add() {}\n" });
  const call = async (tool: string, args: string) => (await run(["call", tool, args, "--root", "."], { cwd })).stdout;
  expect(await call("search_text", '{"pattern":"func"}')).toBe("a.go\n3: func Add() {}\n");
  expect(await call("search_symbols", "{}")).toBe("a.go\n3 function Add\n");
  expect(await call("search_code", '{"pattern":"func $F() {}","language":"go"}')).toContain("a.go\n3: func Add() {}");
});

test("doctor reports a Node.js without SQLite, and what to use instead", async () => {
  const { code, stdout } = await run(["doctor"], { env: { NODE_OPTIONS: "--no-experimental-sqlite" } });
  expect(stdout).toMatch(/^✗ the store: the SQLite of Node\.js .* is missing/m);
  expect(stdout).toContain("Use Node.js 24 or newer, or 22.16 or newer of line 22, without --no-experimental-sqlite");
  expect(code).toBe(1);
});

/** A module for `--import` that prints the URL of each module that is loaded. */
const reporter = `
import { registerHooks } from "node:module";
import { writeSync } from "node:fs";
registerHooks({ load(url, context, next) { writeSync(2, "loaded " + url + "\\n"); return next(url, context); } });
`;

/** The URLs of the modules that are loaded before `tools/list` is answered. */
async function loadedModules(args: readonly string[], cwd: string): Promise<readonly string[]> {
  const hook = pathToFileURL(`${folder({ "reporter.mjs": reporter })}/reporter.mjs`).href;
  const server = spawn(process.execPath, ["--import", hook, cli, ...args], { cwd });
  let [output, errors] = ["", ""];
  server.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const messages = [initialize, { method: "notifications/initialized" }, { id: 2, method: "tools/list" }];
  for (const message of messages) server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for await (const chunk of server.stdout) {
    output += String(chunk);
    if (output.includes('"id":2,') || output.includes('"id":2}')) break;
  }
  server.stdin.end();
  await once(server, "close");
  const urls = [...errors.matchAll(/^loaded (.+)$/gm)].map(([, url = ""]) => url);
  return [...new Set(urls.filter((url) => url !== hook))];
}

/** The name of a chunk without its hash, or of a built-in module. */
function chunkName(url: string): string {
  if (!url.startsWith("file:")) return url;
  return (
    url
      .split("/")
      .at(-1)
      ?.replace(/-[\w-]{8}\.js$/, "")
      .replace(/-[A-Z0-9]{8}$/, "") ?? url
  );
}

/** Maximum size of the chunks that every start on stdio loads, together, in bytes. */
const maxBytes = 793_000;

test("a start loads three chunks, and nothing that only other commands, hosts or tools use", async () => {
  const urls = await loadedModules(["--root", ".", "--log-level", "silent"], folder());
  const loaded = [...new Set(urls.map(chunkName))].toSorted();
  expect(loaded.filter((name) => !name.startsWith("node:"))).toEqual([
    "base",
    "cli.js",
    "main",
    "relay-read",
    "run-stdio-host",
    "serve",
    "settings",
    "start",
    "tools",
  ]);
  // Built-in modules take time, too. Commander needs `child_process` and `process`.
  expect(loaded.filter((name) => name.startsWith("node:"))).toEqual([
    "node:async_hooks",
    "node:child_process",
    "node:crypto",
    "node:events",
    "node:os",
    "node:path",
    "node:process",
    "node:timers/promises",
    "node:url",
    "node:util",
  ]);
  const sizes = urls
    .filter((url) => /\/(base|settings|start)-/.test(url))
    .map((url) => statSync(fileURLToPath(url)).size);
  expect(sizes).toHaveLength(3);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(maxBytes);
});

const metaServer = fileURLToPath(new URL("tests/observability/meta-server.fixture.ts", import.meta.url));
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

/** A module that starts an OpenTelemetry SDK with its own copy of the API. Spans are written to a file, one a line. */
const telemetrySdk = (file: string) => `
import { appendFileSync } from "node:fs";
import { NodeTracerProvider, SimpleSpanProcessor } from ${JSON.stringify(import.meta.resolve("@opentelemetry/sdk-trace-node"))};
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const line = JSON.stringify({ name: span.name, parent: span.parentSpanContext?.spanId, traceId, spanId });
      appendFileSync(${JSON.stringify(file)}, line + "\\n");
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
`;

test("with an OpenTelemetry SDK that --import loads, the built server records spans over stdio", async () => {
  const directory = folder();
  const file = path.join(directory, "spans.jsonl");
  const preload = path.join(folder({ "sdk.mjs": telemetrySdk(file) }), "sdk.mjs");
  const mcpServers = { meta: { command: process.execPath, args: [metaServer] } };
  const config = path.join(
    folder({ "settings.json": JSON.stringify({ mcpServers, logLevel: "silent" }) }),
    "settings.json",
  );
  const flags = ["--config", config, "--store", path.join(directory, "store.db")];
  const args = ["--import", pathToFileURL(preload).href, cli, ...flags];
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: dataFolder, stderr: "ignore" }),
  );
  onTestFinished(() => client.close());
  const call = { name: "tool_invoke", arguments: { name: "meta_show", args: {} } };
  const { content } = await client.callTool({ ...call, _meta: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` } });
  const [block] = content;
  const sent = JSON.parse(block?.type === "text" ? block.text : "") as { traceparent: string };
  const spans = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, string>);
  const [remote, inner, outer] = spans;
  expect(spans.map(({ name }) => name)).toEqual([
    "tools/call show",
    "execute_tool meta_show",
    "tools/call tool_invoke",
  ]);
  expect(spans.map((span) => span["traceId"])).toEqual([traceId, traceId, traceId]);
  expect([outer, inner, remote].map((span) => span?.["parent"])).toEqual([
    "00f067aa0ba902b7",
    outer?.["spanId"],
    inner?.["spanId"],
  ]);
  expect(sent.traceparent).toBe(`00-${traceId}-${remote?.["spanId"]}-01`);
});

test.skipIf(process.platform !== "linux")(
  "compiled code is kept in a private folder of the user, never in $TMPDIR",
  async () => {
    const [cache, temporary] = [folder(), folder()];
    const env = { XDG_CACHE_HOME: cache, TMPDIR: temporary, NODE_COMPILE_CACHE: "" };
    expect(await run(["--version"], { env })).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(path.join(cache, "toolpacks", "compile"))).not.toEqual([]);
  },
);

const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** The built command with the package of the model beside it, as npm installs both in one folder. */
function installWithModel(): string {
  const modules = path.join(folder(), "node_modules");
  cpSync(path.dirname(cli), path.join(modules, "toolpacks", "dist"), { recursive: true });
  writeFileSync(path.join(modules, "toolpacks", "package.json"), '{"type":"module"}');
  mkdirSync(path.join(modules, "@toolpacks"));
  const model = fileURLToPath(new URL("../../../packages/meaning-minilm", import.meta.url));
  symlinkSync(model, path.join(modules, "@toolpacks", "meaning-minilm"), "junction");
  return path.join(modules, "toolpacks", "dist", "cli.js");
}

test("finds tools and records by the model that is installed beside the server", async () => {
  const program = installWithModel();
  const catalog = [
    { name: "stir_soup", description: "Counts the stripes of zebras." },
    { name: "clinic_hours", description: "When doctors are at the hospital." },
  ];
  const cwd = folder({ tools: lines(catalog) });
  const env = { XDG_CACHE_HOME: folder() };
  const args = ["search", "a nurse for my stomach", "--catalog", "tools", "--json"];
  const { stdout, stderr } = await run(args, { program, cwd, env });
  expect([(JSON.parse(stdout) as { names: readonly string[] }).names[0], stderr]).toEqual(["clinic_hours", ""]);
  const { size } = statSync(path.join(env.XDG_CACHE_HOME, "toolpacks", "vectors", "minilm-l6-v2.vectors"));
  expect(size).toBeGreaterThan(2 * 1_536);
  expect((await run(["doctor"], { program, cwd })).stdout).toContain(
    "✓ found by: words and the model all-MiniLM-L6-v2\n",
  );
  const client = await connect([program, "--store", path.join(cwd, "records.db")], cwd);
  const text = "A golden retriever named Bello sleeps in the kitchen.";
  await client.callTool({ name: "tool_invoke", arguments: { name: "memory_remember", args: { text } } });
  // The table of word vectors sees no similarity.
  await expect
    .poll(async () => JSON.stringify(await read(client, "memory_recall", { query: "what pet do they own" })))
    .toContain("Bello");
});
