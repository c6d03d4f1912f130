import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { definePack, defineTool, ToolError, type OwnedStore } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { attach, createSurface } from "@toolpacks/surface";
import { reportKind, workflows } from "@toolpacks/workflows";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { storeValues } from "./values/store-values.ts";
import { serverRelay } from "./server/server-relay.ts";

let file: string;
let store: OwnedStore;
let values: unknown[];
let isFailing: boolean;
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), "workflow-results-"));
  file = path.join(folder, "store.db");
  [store, values, isFailing] = [sqlite(file), [], false];
  onTestFinished(async () => {
    await store.end();
    rmSync(folder, { recursive: true });
  });
});

/** Tools that return their argument, and one that fails while `isFailing`. */
const echo = definePack({
  name: "echo",
  description: "Returns its argument.",
  budget: 300,
  tools: () =>
    ["echo_read", "echo_write", "echo_flaky"].map((name) =>
      defineTool({
        name,
        description: "Return the argument.",
        mutates: name === "echo_write",
        input: z.object({ value: z.unknown().optional() }),
        output: z.looseObject({}),
        handler: ({ value }) => {
          if (name === "echo_flaky" && isFailing) throw new ToolError("unavailable", "not now");
          values.push(value);
          return { value };
        },
      }),
    ),
});

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A client of a server with the workflows pack and the relay, over the store. */
async function connect({ keep = 1_000 } = {}) {
  const relay = serverRelay({ store });
  const packs = [echo(), relay.pack, workflows({ store, reports: { keep } })];
  const surface = await createSurface({ packs, interceptors: [relay.interceptor], surface: "direct" });
  const server = new McpServer({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> => {
    const { content, structuredContent, isError = false, _meta } = await client.callTool({ name, arguments: args });
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    const value = structuredContent ?? _meta?.["toolpacks/result"] ?? {};
    return { isError, text, value: value as Answer["value"] };
  };
  return { client, call, dispatcher: surface.dispatcher };
}

const secret = "hunter2";
const long = "x".repeat(30_000);
const get = (value: unknown) => ({ id: "get", tool: "echo_read", params: { value } });
const idOf = (handle: string) => handle.slice("relay://".length);

/** Everything in the store, as text. */
async function everythingKept(): Promise<string> {
  const lines = await Array.fromAsync(store.export(), (line) => JSON.stringify(line));
  return lines
    .join("\n")
    .replaceAll(/"bytes":"([^"]*)"/g, (_, bytes: string) => Buffer.from(bytes, "base64").toString());
}

describe("a long result of a workflow", () => {
  test("is returned as a handle, which relay_read, resources and arguments resolve", async () => {
    const { client, call } = await connect();
    const handle = String((await call("workflow_eval", { steps: [get(long)] })).value["handle"]);
    const picked = await call("relay_read", { handle, mode: "pick", pattern: "$.value" });
    expect(picked.text).toContain("x".repeat(7_000));
    const { contents } = await client.readResource({ uri: handle });
    expect(contents).toEqual([{ uri: handle, mimeType: "application/json", text: JSON.stringify({ value: long }) }]);
    await call("echo_read", { value: `${handle}#json=$.value` });
    expect(values.at(-1)).toBe(long);
    const report = await call("workflow_report", { format: "data" });
    expect(report.value["results"]).toEqual({ get: handle });
    const step = await call("workflow_report", { step: "get" });
    expect(step.value["result"]).toMatchObject({ size: 30_012, next: 20_000 });
  });

  test("opens only in its workspace and for its principal", async () => {
    const { call, dispatcher } = await connect();
    const args = { steps: [get(long)] };
    const id = idOf(String((await call("workflow_eval", args)).value["handle"]));
    expect(await storeValues({ store }).info(id)).toMatchObject({ size: 30_012 });
    expect(await storeValues({ store: store.in("elsewhere") }).info(id)).toBeUndefined();
    const as = (sub: string) => ({ auth: { token: "t", extra: { sub } } });
    const ran = await dispatcher.dispatch({ name: "workflow_eval", args, context: as("ann") });
    const annas = (ran as { value?: { handle?: string } }).value?.handle;
    const read = (context: object) =>
      dispatcher.dispatch({ name: "relay_read", args: { handle: annas, mode: "length" }, context });
    expect(await read(as("ann"))).toMatchObject({ ok: true });
    for (const context of [as("bob"), {}]) {
      expect(await read(context)).toMatchObject({ ok: false, failure: { code: "not_found" } });
    }
  });

  test("is kept as long as its report: the relay does not remove it", async () => {
    const { call } = await connect({ keep: 1 });
    const first = (await call("workflow_eval", { steps: [get(long)] })).value;
    const sweeping = storeValues({ store, maxAgeHours: 0, maxBytes: 1 });
    await sweeping.sweep();
    const id = idOf(String(first["handle"]));
    expect(await sweeping.info(id)).toBeDefined();
    const second = (await call("workflow_eval", { steps: [get(1)] })).value;
    // Old reports are removed when a store ends.
    await store.end();
    store = sqlite(file);
    expect((await store.query(reportKind)).items.map((report) => report.id)).toEqual([second["report"]]);
    expect(await storeValues({ store }).info(id)).toBeUndefined();
    expect(await everythingKept()).not.toContain("xxx");
  });

  test("is read without its secrets, also while a resumed run needs them", async () => {
    const { client, call } = await connect();
    isFailing = true;
    const use = { id: "use", tool: "echo_write", params: { value: "${steps.get.value.password}" } };
    const steps = [get({ password: secret, long }), { tool: "echo_flaky" }, use];
    const failed = await call("workflow_eval", { steps });
    const [{ handle } = { handle: "" }] = failed.value["succeeded"] as { handle: string }[];
    const { contents } = await client.readResource({ uri: handle });
    expect(JSON.stringify(contents)).toContain("***");
    expect(JSON.stringify(contents)).not.toContain(secret);
    const raw = await call("relay_read", { handle: `${handle}:raw` });
    expect(raw).toMatchObject({ isError: true, text: expect.stringMatching(/^not_found: /) as string });
    expect(await everythingKept()).toContain(secret);
    isFailing = false;
    const resumed = await call("workflow_run", { resume: failed.value["report"] });
    expect(resumed.value["status"]).toBe("ok");
    expect(values.at(-1)).toBe(secret);
    // The result of `echo_write` has the secret in a field that is not named `password`.
    expect(await everythingKept()).not.toMatch(/password\W+hunter2/);
    expect((await call("relay_read", { handle })).text).toContain("***");
  });
});

test("a script opens a handle whole, passes a large result on as its handle, and opens no made-up one", async () => {
  const { call } = await connect();
  const long = await call("workflow_eval", {
    code: 'return ["b", ...Array.from({ length: 9_000 }, (_, at) => at)].join("|")',
  });
  const handle = /relay:\/\/[a-z2-7]{20}/.exec(long.text)?.[0] ?? "";
  const read = `const opened = await handles.open("${handle}");
const text = await opened.text();
return [opened.size === text.length, text.startsWith('"b|0|1'), text.endsWith('|8999"'), (await opened.grep("8999"))[0].line];`;
  expect((await call("workflow_eval", { code: read })).text).toMatch(/^\[true,true,true,1\]\n1 call/);
  const passed = `const big = await tools.echo_read({ value: "x".repeat(1_100_000) });
return (await tools.echo_read({ value: big })).size;`;
  expect((await call("workflow_eval", { code: passed })).isError).toBe(false);
  // The relay opens the handle: the tool gets the JSON of the value.
  expect(values.at(-1)).toBe(JSON.stringify({ value: "x".repeat(1_100_000) }));
  const forged = await call("workflow_eval", { code: 'await handles.open("relay://aaaaaaaaaaaaaaaaaaaa")' });
  expect(forged.text).toContain("not_found: handle: relay://aaaaaaaaaaaaaaaaaaaa is unknown or has expired");
});
