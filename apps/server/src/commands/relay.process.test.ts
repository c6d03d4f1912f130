import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { clientTransport, serveHere, serveHttpHere } from "../serve.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { before, official, relayed, RawClient, type Message } from "../relay.process.fixture.ts";

type Mode = "legacy" | { readonly pin: string };

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

/** A client of a server that is a process. */
async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

/** A client of a relay in this process. */
async function connectRelay(words: readonly string[], mode: Mode = "legacy"): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(clientTransport(serveHere(["relay", ...words])));
  return client;
}

const sha = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

function handleIn(result: unknown): string {
  return /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(result))?.[0] ?? "none";
}

/** 5 MB of text in several scripts, with everything that JSON escapes, and one needle. */
function hay(bytes = 5_000_000): string {
  const line = (at: number) =>
    `${at}\t"quoted" \\ back ${"→ 🙂 \u0001 ".repeat(at % 4)}${(at * 2_654_435_761) % 4_294_967_296}`;
  const lines: string[] = [];
  for (let size = 0; size < bytes; size += lines.at(-1)?.length ?? 1) lines.push(line(lines.length));
  lines[Math.floor(lines.length / 2)] = "the needle is here";
  return `${lines.join("\n")}\n`;
}

describe("the official filesystem server through the relay", () => {
  let directory: string;
  let client: Client;
  beforeAll(async () => {
    directory = folder({ "hay.txt": hay(), "short.txt": hay(300_000), "table.csv": table() });
    client = await connectRelay(before([official("filesystem"), directory]));
  });
  afterAll(() => client.close());

  test("reads 5 MB in under 200 tokens, finds a word in them, and copies them byte for byte", async () => {
    const [from, to] = ["hay.txt", "copy.txt"].map((name) => path.join(directory, name));
    const read = await client.callTool({ name: "read_text_file", arguments: { path: from } });
    expect(encode(JSON.stringify({ content: read.content, structured: read.structuredContent })).length).toBeLessThan(
      200,
    );
    const handle = handleIn(read);
    const found = await client.callTool({ name: "relay_read", arguments: { handle, mode: "grep", pattern: "need.e" } });
    expect(JSON.stringify(found.content)).toContain("the needle is here");

    const written = await client.callTool({ name: "write_file", arguments: { path: to, content: handle } });
    expect(written.isError ?? false).toBe(false);
    expect(sha(to ?? "")).toBe(sha(from ?? ""));
  });

  test.skipIf(!isCampaign)("lists all its tools, and each works as without the relay", async () => {
    const directory = folder({ "a.txt": "one\ntwo\n", "b.png": "no picture" });
    const at = (name: string) => path.join(directory, name);
    const args = [official("filesystem"), directory];
    const [direct, through] = await Promise.all([connect(args), connectRelay(before(args))]);
    onTestFinished(() => through.close());
    const { tools } = await through.listTools();
    expect(tools.slice(0, -1)).toEqual((await direct.listTools()).tools);
    expect(tools.at(-1)).toMatchObject({ name: "relay_read", annotations: { readOnlyHint: true } });

    const calls: readonly [string, object][] = [
      ["list_allowed_directories", {}],
      ["read_file", { path: at("a.txt") }],
      ["read_text_file", { path: at("a.txt"), head: 1 }],
      ["read_media_file", { path: at("b.png") }],
      ["read_multiple_files", { paths: [at("a.txt"), at("gone")] }],
      ["create_directory", { path: at("sub") }],
      ["write_file", { path: at("sub/c.txt"), content: "three" }],
      ["edit_file", { path: at("sub/c.txt"), edits: [{ oldText: "three", newText: "four" }], dryRun: true }],
      ["list_directory", { path: directory }],
      ["list_directory_with_sizes", { path: directory }],
      ["directory_tree", { path: directory }],
      ["search_files", { path: directory, pattern: "*.txt" }],
      ["get_file_info", { path: at("a.txt") }],
      ["read_text_file", { path: "/etc/passwd" }],
      ["read_text_file", {}],
    ];
    expect(new Set([...calls.map(([name]) => name), "move_file"])).toEqual(
      new Set(tools.slice(0, -1).map(({ name }) => name)),
    );
    for (const [name, given] of calls) {
      const call = { name, arguments: { ...given } };
      expect(await through.callTool(call), name).toEqual(await direct.callTool(call));
    }
    await through.callTool({ name: "move_file", arguments: { source: at("a.txt"), destination: at("moved.txt") } });
    expect(readFileSync(at("moved.txt"), "utf8")).toBe("one\ntwo\n");
  });

  test("runs no tool for an unknown handle, does not replace one inside a text, and returns values as resources", async () => {
    const text = hay(300_000);
    const [hayFile, file] = ["short.txt", "never.txt"].map((name) => path.join(directory, name));
    const invented = `relay://${"a".repeat(20)}`;
    const write = (content: string) => client.callTool({ name: "write_file", arguments: { path: file, content } });
    for (const content of [invented, "relay://nonsense", "internal://x", `\${${invented}#lines=1-2}`]) {
      expect(await write(content)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("not_found") }],
      });
    }
    expect(existsSync(file ?? "")).toBe(false);
    await write(`see ${invented} for more`);
    expect(readFileSync(file ?? "", "utf8")).toBe(`see ${invented} for more`);

    const handle = handleIn(await client.callTool({ name: "read_text_file", arguments: { path: hayFile } }));
    expect(await client.readResource({ uri: handle })).toEqual({
      contents: [{ uri: handle, mimeType: "text/plain", text }],
    });
    const second = await client.readResource({ uri: `${handle}#lines=2-2` });
    expect(second.contents).toMatchObject([{ text: text.split(/(?<=\n)/)[1] }]);
    await expect(client.readResource({ uri: invented })).rejects.toThrow("unknown");
  });

  test.skipIf(!isCampaign)("answers SQL over results", async () => {
    const ask = async (name: string, given: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: given })).content);
    const [handle] =
      /relay:\/\/\w+/.exec(await ask("read_text_file", { path: path.join(directory, "table.csv") })) ?? [];
    const answer = await ask("relay_read", { handle, pattern: "SELECT max(id) AS n FROM t" });
    expect(answer.replaceAll("\\n", "\n")).toMatch(/n\n1999\n/);
  });
});

/** A CSV with 2,000 rows. */
function table(): string {
  const rows = Array.from({ length: 2_000 }, (_, id) => `${id},team ${id % 7}`).join("\n");
  return `id,team\n${rows}\n`;
}

describe("toolpacks relay", () => {
  test("serves a client that speaks only protocol 2026-07-28", async () => {
    const directory = folder({ "hay.txt": hay(100_000) });
    const config = folder({ "toolpacks.config.json": '{ "relay": false }' });
    const server = await serveHttpHere(["--facet", "filesystem", "--root", directory, "--results", "text"], {
      cwd: config,
    });
    onTestFinished(async () => void (await server.stop()));
    const client = await connectRelay(["--url", server.url], { pin: "2026-07-28" });
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("relay_read");
    const read = await client.callTool({ name: "fs_read", arguments: { path: "hay.txt" } });
    expect(read.isError ?? false).toBe(false);
    const unknown = `relay://${"a".repeat(20)}`;
    expect(await client.callTool({ name: "relay_read", arguments: { handle: unknown } })).toMatchObject({
      isError: true,
    });
    expect(await client.callTool({ name: "fs_read", arguments: { path: unknown } })).toMatchObject({ isError: true });
    await expect(client.readResource({ uri: unknown })).rejects.toThrow("unknown");
  });

  // A server that starts another one, as npx does, and ends only when its input ends.
  const inner = "process.stdin.resume().on('end', () => process.exit(3)); setInterval(() => {}, 1000)";
  const outer = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' });
    child.on('exit', (code) => process.exit(code));
    process.stderr.write('no licence found\\n');
    process.stdout.write(JSON.stringify({ method: 'started', pids: [process.pid, child.pid] }) + '\\n');`;
  const startedPids = async (talk: RawClient) =>
    ((await talk.until(({ method }) => method === "started")) as unknown as { pids: number[] }).pids;

  test("leaves no process running when it is killed, and passes on the server's stderr", async () => {
    const talk = RawClient.start(relayed(["-e", outer]));
    const pids = await startedPids(talk);
    await expect.poll(() => talk.stderr).toBe("no licence found\n");
    talk.peer.kill("SIGKILL");
    await talk.peer.ended;
    for (const pid of pids) await gone(pid);
  });

  test("leaves no process running when its input ends, and ends with the server's exit code", async () => {
    const talk = RawClient.relay(before(["-e", outer]));
    const pids = await startedPids(talk);
    talk.peer.stdin.end();
    expect(await talk.peer.ended).toBe(3);
    for (const pid of pids) await gone(pid);
  });

  test("passes a signal on, repeats it, and then kills a server that ignores it", async () => {
    const stubborn = `const say = (method) => process.stdout.write(JSON.stringify({ method, pid: process.pid }) + "\\n");
      process.on("SIGTERM", say).stdin.resume().on("end", () => say("end")); setInterval(() => {}, 1000); say("started");`;
    const talk = RawClient.relay(before(["-e", stubborn]));
    const { pid } = (await talk.until(({ method }) => method === "started")) as unknown as { pid: number };
    talk.peer.kill("SIGTERM");
    expect(await talk.peer.ended).toBe(128 + 9);
    const heard = talk.lines.map((line) => (JSON.parse(line) as { method: string }).method);
    expect(heard.filter((method) => method === "SIGTERM")).toHaveLength(2);
    expect(heard.filter((method) => method !== "SIGTERM")).toEqual(["started", "end"]);
    await gone(pid);
  });

  test("ends soon after a signal, even if a process in another session holds the server's stdout", async () => {
    const code = `const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 8000)"], { detached: true, stdio: "inherit" }).unref();
      process.stdout.write(JSON.stringify({ method: "started" }) + "\\n"); setInterval(() => {}, 1000);`;
    const talk = RawClient.relay(before(["-e", code]));
    await talk.until(({ method }) => method === "started");
    const start = performance.now();
    talk.peer.kill("SIGTERM");
    expect(await talk.peer.ended).toBe(128 + 15);
    expect(performance.now() - start).toBeLessThan(4_000);
  });

  test("explains wrong arguments", async () => {
    for (const [args, expected] of [
      [[], "expected either a server's command after -- or --url"],
      [["--url", "http://127.0.0.1:9/mcp", "--", "node"], "expected either"],
      [["--", "no-such-program-anywhere"], "no-such-program-anywhere cannot be started"],
      [["--url", "nowhere"], "url"],
      [["--url", "http://127.0.0.1:9/mcp", "--header", "nonsense"], 'expected "Name: value"'],
    ] as const) {
      const { code, stderr } = await run(["relay", ...args]);
      expect(code).toBe(2);
      expect(stderr).toContain(expected);
    }
  });
});

describe("toolpacks relay --url", () => {
  let url: string;
  beforeAll(async () => {
    url = await everythingSite();
  });
  const message = "a long message ".repeat(2_000);
  const echo = (client: Client, text: string) => client.callTool({ name: "echo", arguments: { message: text } });

  test("boxes from the given threshold on, as links if --boxing json is given", async () => {
    const client = await connectRelay(["--url", url, "--threshold-tokens", "40", "--boxing", "json"]);
    const read = await echo(client, "x".repeat(300));
    expect(JSON.stringify(read)).not.toContain("xxx".repeat(100));
    expect(JSON.stringify(read)).toContain(String.raw`\"type\":\"resource_link\"`);
    await client.close();
  });

  test("keeps values for the next run only with --values", async () => {
    const kept = path.join(folder(), "values");
    const length = async (client: Client, handle: string) => {
      const { isError = false } = await client.callTool({ name: "relay_read", arguments: { handle, mode: "length" } });
      await client.close();
      return isError;
    };
    const first = await connectRelay(["--url", url, "--values", kept]);
    const handle = handleIn(await echo(first, message));
    await first.close();
    expect(await length(await connectRelay(["--url", url, "--values", kept]), handle)).toBe(false);
    expect(statSync(kept).mode & 0o077).toBe(0);
    expect(await length(await connectRelay(["--url", url]), handle)).toBe(true);
    const { code, stderr } = await run(["relay", "--url", url, "--values", path.join(import.meta.filename, "no")]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("the folder for values cannot be created: ENOTDIR")]);
  });

  test("boxes results of a server over HTTP, and resolves their handles in arguments", async () => {
    const client = await connectRelay(["--url", url]);
    expect((await client.listTools()).tools.at(-1)?.name).toBe("relay_read");

    const handle = handleIn(await echo(client, message));
    const echoed = handleIn(await echo(client, handle));
    expect(echoed).not.toBe(handle);
    const { contents } = await client.readResource({ uri: echoed });
    expect(contents).toMatchObject([{ text: `Echo: Echo: ${message}` }]);
    await client.close();
  });

  test("delivers pending responses when its input ends, and then ends", async () => {
    const talk = RawClient.relay(["--url", url]);
    talk.send(initialize);
    await talk.answer(1);
    talk.send({ method: "notifications/initialized" });
    const slow = { name: "trigger-long-running-operation", arguments: { duration: 1, steps: 1 } };
    talk.send({ id: 2, method: "tools/call", params: slow });
    talk.peer.stdin.end();
    expect(await talk.peer.ended).toBe(0);
    expect(JSON.parse(talk.lines.at(-1) ?? "{}")).toMatchObject({
      id: 2,
      result: { content: [{ text: expect.stringContaining("operation completed") }] },
    });
  });
});

const largeServer = fileURLToPath(new URL("../large-server.fixture.ts", import.meta.url));

describe("a message", () => {
  test("of 60 MB passes both ways, byte for byte, with less than 520 MB of memory, and one beyond the limit is an error", async () => {
    const talk = RawClient.start(relayed([largeServer], ["--max-message-bytes", "66000000"]));
    talk.send(initialize);
    await talk.answer(1);
    const once = await talk.ask(2, "tools/call", { name: "make", arguments: { times: 1 } });
    // Its JSON is longer by more than a third.
    const times = Math.floor(43_500_000 / Number(/([0-9]+) bytes/.exec(JSON.stringify(once))?.[1]));
    const made = await talk.ask(4, "tools/call", { name: "make", arguments: { times } });
    expect(JSON.stringify(made).length).toBeLessThan(1_000);

    const call = (content: string) => ({
      jsonrpc: "2.0",
      id: 3,
      method: "tools/call",
      params: { name: "take", arguments: { content } },
    });
    talk.write(JSON.stringify(call(handleIn(made))));
    const taken = await talk.answer(3);
    const piece = await talk.ask(5, "resources/read", { uri: handleIn(once) });
    const { contents } = piece.result as { contents: [{ text: string }] };
    const [before, after] = JSON.stringify(call("\0")).split(String.raw`\u0000`) as [string, string];
    const inside = Buffer.from(JSON.stringify(contents[0].text).slice(1, -1));
    const hash = createHash("sha256").update(before);
    for (let written = 0; written < times; written += 1) hash.update(inside);
    const size = before.length + inside.length * times + after.length;
    expect(JSON.stringify(taken)).toContain(`${size} ${hash.update(after).digest("hex")}`);
    expect(size).toBeGreaterThan(59_000_000);
    expect(peakMegabytes(talk.peer.pid ?? 0)).toBeLessThan(520);
    const larger = await talk.ask(6, "tools/call", { name: "make", arguments: { times: times * 2 } });
    expect(larger.error).toMatchObject({ message: expect.stringContaining("larger than 66,000,000 bytes") });
    expect(talk.stderr).toContain("larger than 66,000,000 bytes");
  });
});

test("a full disk loses no message of a relay", async ({ skip }) => {
  const disk = folder();
  const quoted = [process.execPath, ...relayed([largeServer], ["--values", disk])].map((word) => `'${word}'`).join(" ");
  const script = `mount -t tmpfs -o size=900k tmpfs '${disk}'; echo '{"method":"mounted"}'; exec ${quoted}`;
  const talk = RawClient.start(["-rm", "sh", "-ec", script], "unshare");
  // Mounts need a private name space, which some systems do not allow.
  const mounted = talk.until(({ method }) => method === "mounted").catch(() => undefined);
  skip((await mounted) === undefined, "unshare may not mount here");
  talk.send(initialize);
  await talk.answer(1);
  const make = async (id: number, times: number) => {
    const { result, error } = await talk.ask(id, "tools/call", { name: "make", arguments: { times } });
    return { error, text: (result?.["content"] as { text: string }[] | undefined)?.[0]?.text ?? "" };
  };
  const length = async (id: number, handle: string) =>
    talk.ask(id, "tools/call", { name: "relay_read", arguments: { handle, mode: "length" } });

  const one = await make(2, 1);
  const size = Number(/([0-9]+) bytes/.exec(one.text)?.[1]);
  // The disk has room for a part of two values.
  expect(Buffer.byteLength((await make(3, 2)).text)).toBe(2 * size);
  expect(Buffer.byteLength((await make(4, 4)).text)).toBe(4 * size);
  expect(await make(5, 1)).toEqual(one);
  expect(JSON.stringify(await length(6, handleIn(one)))).toContain(`${size} bytes`);
  expect(talk.stderr).toMatch(/disk is full/);
});

/** Peak memory of a process; 0 when the system does not report it. */
function peakMegabytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 0;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1]) / 1024;
}

/** The official server of everything, over HTTP. */
async function everythingSite(): Promise<string> {
  const port = await freePort();
  const site = spawn(process.execPath, [official("everything"), "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
  });
  afterAll(() => void site.kill());
  await new Promise((resolve) => site.stderr.once("data", resolve));
  return `http://127.0.0.1:${port}/mcp`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const everything = [official("everything")];

/** The messages of a client with all capabilities to the everything server, and the answers of its user and model. */
async function converse(client: RawClient): Promise<string[]> {
  const talk = client.answering(({ method }) => {
    if (method === "roots/list") return { roots: [{ uri: "file:///tmp", name: "temporary" }] };
    if (method === "elicitation/create") return { action: "accept", content: { name: "Ada", check: true } };
    return { role: "assistant", model: "scripted", content: { type: "text", text: "as the model says" } };
  });
  const call = (id: number, name: string, given: object) => talk.ask(id, "tools/call", { name, arguments: given });
  const capabilities = { sampling: {}, elicitation: {}, roots: { listChanged: true } };
  talk.send({ ...initialize, params: { ...initialize.params, capabilities } });
  await talk.answer(1);
  talk.send({ method: "notifications/initialized" });
  // Wait for the server's own messages, which would otherwise arrive between others by chance.
  const isRootsNote = ({ params }: Message) => JSON.stringify(params ?? {}).includes("Roots updated");
  await talk.until(isRootsNote);
  await talk.ask(2, "tools/list");
  await call(3, "echo", { message: 'quotes " and \\ and ünïcode 🙂 \u2028' });
  await call(4, "get-structured-content", { location: "Chicago" });
  await call(5, "get-annotated-message", { messageType: "success", includeImage: true });
  await call(6, "get-sum", { a: 1, b: "no number" });
  await call(7, "no_such_tool", {});
  await talk.ask(8, "tools/call", {
    name: "trigger-long-running-operation",
    arguments: { duration: 0.2, steps: 4 },
    _meta: { progressToken: "p" },
  });
  await call(9, "trigger-sampling-request", { prompt: "say it", maxTokens: 10 });
  await call(10, "trigger-elicitation-request", {});
  await talk.ask(11, "resources/list");
  await talk.ask(12, "resources/templates/list");
  await talk.ask(13, "resources/read", { uri: "demo://resource/static/document/architecture.md" });
  await talk.ask(14, "resources/read", { uri: "demo://resource/nowhere" });
  await talk.ask(15, "resources/subscribe", { uri: "demo://resource/dynamic/text/1" });
  await talk.ask(16, "prompts/list");
  await talk.ask(17, "prompts/get", { name: "args-prompt", arguments: { city: "Paris" } });
  await talk.ask(18, "completion/complete", {
    ref: { type: "ref/prompt", name: "completable-prompt" },
    argument: { name: "department", value: "E" },
  });
  await talk.ask(19, "logging/setLevel", { level: "debug" });
  talk.send({
    id: 20,
    method: "tools/call",
    params: { name: "trigger-long-running-operation", arguments: { duration: 2, steps: 1 } },
  });
  talk.send({ method: "notifications/cancelled", params: { requestId: 20, reason: "enough" } });
  talk.send({ method: "notifications/roots/list_changed" });
  await talk.until(isRootsNote, 2);
  await talk.ask(21, "no/such/method", { any: [1, { thing: null }] });
  await talk.ask(22, "server/discover", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } });
  talk.write('{"this is": no JSON');
  talk.write("");
  await talk.ask(23, "ping");
  talk.peer.stdin.end();
  await talk.peer.ended;
  return talk.lines;
}

describe("a session through the relay", () => {
  test("has the same messages, byte for byte, except the list of tools", async () => {
    const [direct, through] = await Promise.all([
      converse(RawClient.start(everything)),
      converse(RawClient.relay(before(everything))),
    ]);
    const isToolList = (line: string) => line.includes('"id":2}') && line.includes('"tools":');
    const others = (lines: string[]) => lines.filter((line) => !isToolList(line));
    expect(others(through)).toEqual(others(direct));
    expect(direct.length).toBeGreaterThan(30);

    const list = (lines: string[]) => JSON.parse(lines.find(isToolList) ?? "{}") as Message;
    const tools = list(through).result?.["tools"] as { name: string }[];
    expect(tools.at(-1)?.name).toBe("relay_read");
    expect({ ...list(through), result: { ...list(through).result, tools: tools.slice(0, -1) } }).toEqual(list(direct));
  });
});

test.skipIf(!isCampaign)("on a Node without node:sqlite a query ends with an error that says so", async () => {
  const cwd = folder({ "a.csv": table() });
  const client = await connect(["--no-experimental-sqlite", ...relayed([official("filesystem"), cwd])]);
  const handle = handleIn(
    await client.callTool({ name: "read_text_file", arguments: { path: path.join(cwd, "a.csv") } }),
  );
  const query = { handle, pattern: "SELECT max(id) AS n FROM t" };
  const { content } = await client.callTool({ name: "relay_read", arguments: query });
  expect(JSON.stringify(content)).toMatch(
    /unavailable: query: this Node v\S+ has no node:sqlite\\nUse grep, lines or pick\./,
  );
});
