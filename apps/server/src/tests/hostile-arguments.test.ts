import path from "node:path";
import { note } from "@toolpacks/planner";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serveRaw } from "../serve.fixture.ts";

/** Starts a server that gets arguments as JSON text: a client library could not send all of them. */
async function rawServer() {
  const cwd = folder();
  const server = serveRaw(["--store", "s.db", "--write"], { cwd });
  server.send(initialize);
  await server.answer(1);
  server.send({ method: "notifications/initialized" });
  let last = 1;
  return {
    store: () => sqlite(path.join(cwd, "s.db")),
    async call(name: string, args: string) {
      const id = (last += 1);
      const params = `{"name":${JSON.stringify(name)},"arguments":${args}}`;
      server.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`);
      const { result, error } = await server.answer(id);
      return JSON.stringify(result ?? error);
    },
    async end() {
      server.end();
      await server.ended;
    },
  };
}

test.each(["__proto__", "constructor", "toString"])(
  "a filter or record with a field named %s is refused with the known fields",
  async (name) => {
    const server = await rawServer();
    for (const filter of [`{"${name}": {"tags": "a"}}`, `{"and": [{"${name}": 1}]}`]) {
      const found = await server.call("store_query", `{"kind": "note", "filter": ${filter}}`);
      expect(found).toContain('"isError":true');
      expect(found).toContain(`\\\\"${name}\\\\" is not an indexed field of kind note`.replaceAll("\\\\", "\\"));
      expect(found).toContain("Indexed: id, ");
    }
    const record = `{"text": "x", "${name}": {"polluted": true}}`;
    const put = await server.call("store_put", `{"kind": "note", "record": ${record}}`);
    expect(put).toMatch(new RegExp(`invalid_input: .*${name}: unknown field`));
    const store = server.store();
    expect((await store.query(note)).total).toBe(0);
    await store.end();
    await server.end();
  },
);

test.each(["__proto__", "constructor", "toString"])(
  "an argument named %s is refused, and the call is not run",
  async (name) => {
    const server = await rawServer();
    const put = await server.call("store_put", `{"kind": "note", "record": {"text": "x"}, "${name}": {}}`);
    expect(put).toMatch(new RegExp(`${name}: unknown field`));
    const store = server.store();
    expect((await store.query(note)).total).toBe(0);
    await store.end();
    await server.end();
  },
);

test("arguments that are nested too deep are refused with the limit, and the server keeps running", async () => {
  const server = await rawServer();
  for (const levels of [220, 600, 5_000, 100_000]) {
    for (const deep of [
      `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`,
      `${"[".repeat(levels)}${"]".repeat(levels)}`,
    ]) {
      for (const [name, args] of [
        ["store_put", `{"kind": "note", "record": {"text": ${deep}}}`],
        ["store_query", `{"kind": "note", "filter": {"not": ${deep}}}`],
        ["tool_invoke", `{"name": "store_put", "args": {"kind": "note", "record": ${deep}}}`],
        ["workflow_eval", `{"steps": [{"tool": "store_put", "params": {"record": ${deep}}}]}`],
      ] as const) {
        expect(await server.call(name, args)).toMatch(
          levels < 250
            ? /invalid_input: args: objects and arrays are nested more than 200 levels deep/
            : /more than 256 levels deep/,
        );
      }
    }
  }
  expect(await server.call("store_query", '{"kind": "note"}')).toContain("none");
  await server.end();
});
