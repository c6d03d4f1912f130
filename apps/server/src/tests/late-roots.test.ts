import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serveRaw, serverTransport } from "../serve.fixture.ts";

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
});

type Roots = () => Promise<readonly string[]>;

async function connect(store: string, roots: Roots): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: { roots: { listChanged: true } } });
  client.setRequestHandler(ListRootsRequestSchema, async () => ({
    roots: (await roots()).map((root) => ({ uri: pathToFileURL(root).href })),
  }));
  await client.connect(serverTransport(["--store", store], { cwd: folder() }));
  open.push(client);
  return client;
}

const put = (client: Client, text: string) =>
  client.callTool({ name: "store_put", arguments: { kind: "note", record: { text } } });

/** The records in a workspace, from another server without client roots. */
async function recordsOfDefault(store: string): Promise<string> {
  return (await run(["call", "--store", store, "--workspace", "default", "store_query", "kind=note"])).stdout;
}

// The tests wait for seconds, so they run concurrently.
describe.concurrent("while roots are late", () => {
  test("calls wait for late roots, and never run in another workspace", async () => {
    const store = path.join(folder(), "store.db");
    const project = folder();
    const client = await connect(store, () => wait(4_000, [project]));
    expect(JSON.stringify(await put(client, "secret"))).not.toContain("isError");
    const mine = await client.callTool({ name: "store_query", arguments: { kind: "note" } });
    expect(JSON.stringify(mine.content)).toContain("secret");
    expect(await recordsOfDefault(store)).not.toContain("secret");
  }, 30_000);

  test("calls are refused while a client does not name its roots, and list requests are answered", async () => {
    const store = path.join(folder(), "store.db");
    const client = await connect(store, () => new Promise(() => {}));
    const [refused, { tools }] = await Promise.all([put(client, "secret"), client.listTools()]);
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused.content)).toContain("the client's roots (roots/list) are not in use after 10 s");
    expect(tools.map(({ name }) => name)).toContain("store_put");
    expect(await recordsOfDefault(store)).not.toContain("secret");
  }, 30_000);
});

describe("with roots of the client", () => {
  test("calls during many changes of roots run only on roots of the client", async () => {
    const store = path.join(folder(), "store.db");
    const projects = [folder(), folder()];
    let asked = 0;
    const client = await connect(store, () => wait(100, [projects[asked++ % 2] ?? ""]));
    const puts = Array.from({ length: 50 }, async (_, at) => {
      void client.sendRootsListChanged();
      return put(client, `note ${at}`);
    });
    expect((await Promise.all(puts)).filter(({ isError }) => isError)).toEqual([]);
    expect(await recordsOfDefault(store)).not.toContain("note ");
  }, 60_000);

  test("calls that need the store are refused while no root of the client can be used, and run when one can", async () => {
    const store = path.join(folder(), "store.db");
    let named = "/canary/that/is/not/there";
    const client = await connect(store, async () => [named]);
    for (const refused of [
      await put(client, "secret"),
      await client.callTool({ name: "store_query", arguments: { kind: "note" } }),
      await client.callTool({ name: "tool_invoke", arguments: { name: "memory_recall", args: { query: "x" } } }),
    ]) {
      expect(refused).toMatchObject({ isError: true });
      expect(JSON.stringify(refused.content)).toContain("unavailable: the workspace is not known: the client's root ");
      expect(JSON.stringify(refused.content)).toContain("is not an existing directory");
    }
    const search = await client.callTool({ name: "tool_search", arguments: { query: "remember" } });
    expect(search.isError).toBeUndefined();
    expect(await recordsOfDefault(store)).not.toContain("secret");
    named = folder();
    await client.sendRootsListChanged();
    expect((await put(client, "mine")).isError).toBeUndefined();
    expect(await recordsOfDefault(store)).not.toContain("mine");
  }, 30_000);

  test("a client that answers with an error is served without roots", async () => {
    const store = path.join(folder(), "store.db");
    const client = await connect(store, () => Promise.reject(new Error("no")));
    expect((await put(client, "shared")).isError).toBeUndefined();
    expect(await recordsOfDefault(store)).toContain("shared");
  }, 30_000);

  test("calls before the client has initialized wait", async () => {
    const store = path.join(folder(), "store.db");
    const project = folder();
    const server = serveRaw(["--store", store]);
    server.send({ ...initialize, params: { ...initialize.params, capabilities: { roots: {} } } });
    await server.answer(1);
    server.send({
      id: 2,
      method: "tools/call",
      params: { name: "store_put", arguments: { kind: "note", record: { text: "early" } } },
    });
    await wait(500);
    expect(server.output.stdout).not.toContain('"id":2');
    server.send({ method: "notifications/initialized" });
    await expect.poll(() => server.output.stdout).toContain("roots/list");
    const question = server.output.stdout.split("\n").find((line) => line.includes("roots/list")) ?? "";
    const { id } = JSON.parse(question) as { id: number };
    server.send({ id, result: { roots: [{ uri: pathToFileURL(project).href }] } });
    expect(JSON.stringify(await server.answer(2))).not.toContain("isError");
    server.end();
    expect(await recordsOfDefault(store)).not.toContain("early");
  }, 30_000);
});

test("concurrent calls of a 2026-07-28 client wait for the roots that one of them brings", async () => {
  const store = path.join(folder(), "store.db");
  const project = path.join(folder(), "project");
  mkdirSync(project);
  const server = serveRaw(["--store", store]);
  const put = (id: number, more: object = {}) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": { roots: {} },
    };
    const params = { name: "store_put", arguments: { kind: "note", record: { text: `note ${id}` } }, _meta, ...more };
    server.send({ id, method: "tools/call", params });
    return server.answer(id);
  };
  expect(await put(10)).toMatchObject({ result: { resultType: "input_required" } });
  const inputResponses = { roots: { roots: [{ uri: pathToFileURL(project).href }] } };
  const answers = await Promise.all([put(11, { requestState: "roots", inputResponses }), put(12), put(13), put(14)]);
  for (const one of answers) expect(JSON.stringify(one)).not.toMatch(/isError|"error"/);
  server.end();
  expect(await recordsOfDefault(store)).not.toContain("note ");
}, 30_000);
