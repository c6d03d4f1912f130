import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { serveHttpHere } from "../serve.fixture.ts";

const open: { stop(): Promise<number> }[] = [];

afterEach(() => Promise.all(open.splice(0).map((server) => server.stop())));

async function serve(args: readonly string[], cwd = folder()) {
  const server = await serveHttpHere(["--store", "store.db", ...args], { cwd });
  open.push(server);
  return server;
}

const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function post(url: string, method: string, params: object = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) });
}

test("serve --http names its address, callers and an example, serves tools, and exits with 0 after SIGTERM", async () => {
  const { url, output, stop } = await serve(["--path", "/tools"]);
  expect(output.stderr).toContain(`serving ${url} (callers: every program on this machine, without a token); `);
  expect(output.stderr).toContain(`claude mcp add --transport http toolpacks ${url}`);
  expect(new URL(url).pathname).toBe("/tools");
  expect(await (await post(url, "tools/list")).text()).toContain('"tool_search"');
  expect((await fetch(new URL("/readyz", url))).status).toBe(200);
  expect(await stop()).toBe(0);
  expect(output.stdout).toBe("");
});

test("serve --http warns after the start of tokens with names that no pack has", async () => {
  const cwd = folder();
  await run(["tokens", "add", "ci", "--facets", "memroy", "--file", "tokens.json"], { cwd });
  const { output } = await serve(["--tokens", "tokens.json"], cwd);
  const warning =
    /"level":"warn".*token \\"ci\\": facets: no facet is named \\"memroy\\" \(did you mean \\"memory\\"\?\)/;
  await expect.poll(() => output.stderr, { timeout: 20_000 }).toMatch(warning);
});

test.each([
  [["--http", "--host", "0.0.0.0"], "--tokens"],
  [["--http", "--host", "::"], "http.oauth"],
  [["--http", "--host", "192.0.2.1"], "127.0.0.1"],
  [["--http", "--port", "70000"], "--port"],
  [["--port", "3333"], "add --http"],
])("serve %j is refused with exit code 2", async (args, word) => {
  const { code, stderr } = await run(["serve", ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(word);
});

test("a port that is in use is refused with its flag", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as { port: number };
  const { code, stderr } = await run(["serve", "--http", "--port", String(port)]);
  other.close();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${port}: another program listens`)]);
});

test("with --watch, other settings apply at once, and a changed http block is named in the log", async () => {
  const file = { surface: "discovery", http: { maxCalls: 5 } };
  const cwd = folder({ "toolpacks.config.json": JSON.stringify(file) });
  const { url, output } = await serve(["--watch"], cwd);
  const listing = async () => (await post(url, "tools/list")).text();
  expect(await listing()).not.toContain('"issue_ready"');
  const next = { surface: "direct", http: { maxCalls: 6 } };
  writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify(next));
  await expect.poll(listing, { timeout: 10_000 }).toContain('"issue_');
  expect(output.stderr).toContain("changes of the http block take effect at the next start");
});
