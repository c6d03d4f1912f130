import { readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serveRaw, type RawServer } from "../serve.fixture.ts";

const example = fileURLToPath(new URL("../../../../examples/records-pack/src/bookmarks.ts", import.meta.url));
const modules = fileURLToPath(new URL("../../../../examples/records-pack/node_modules", import.meta.url));

let running: RawServer | undefined;

afterEach(() => running?.end());

/** A folder with its own store, and a config that mounts the example of a pack with records. */
function configured(options = "{}"): string {
  return folder({
    "mine.json": `{"packs": {${JSON.stringify(example)}: ${options}}}`,
  });
}

async function caller(directory: string): Promise<(name: string, args: object) => Promise<string>> {
  const server = serveRaw(["--config", "mine.json", "--store", "store.db"], { cwd: directory });
  running = server;
  server.send(initialize);
  await server.answer(1);
  let id = 1;
  return async (name, args) => {
    id += 1;
    server.send({ id, method: "tools/call", params: { name, arguments: args } });
    return JSON.stringify((await server.answer(id))["result"]);
  };
}

test("a pack that the config mounts keeps its records in the server's store", async () => {
  const directory = configured('{"top": 1}');
  const call = await caller(directory);
  const visit = { name: "bookmark_visit", args: { url: "https://example.com/", title: "An example" } };
  await call("tool_invoke", visit);
  expect(await call("tool_invoke", visit)).toContain('\\"visits\\":2');
  await call("store_put", { kind: "bookmark", record: { url: "https://example.org/", title: "Other" } });
  expect(await call("store_query", { kind: "bookmark", filter: { visits: 2 } })).toContain("An example");
  const top = await call("tool_read", { name: "bookmark_top", args: {} });
  expect(top).toContain("An example");
  expect(top).not.toContain("Other");
  running?.end();
  await running?.ended;

  const again = await caller(directory);
  expect(await again("tool_read", { name: "bookmark_top", args: {} })).toContain("An example");
  expect(readdirSync(directory)).toContain("store.db");
});

test("an option with the name of a service is refused, because the server passes the service", async () => {
  const { code, stderr } = await run(["tools", "--config", "mine.json"], { cwd: configured('{"store": "other.db"}') });
  expect(code).toBe(2);
  expect(stderr).toContain("store: is passed by the server; remove the option");
});

test("a service that the server does not have is named", async () => {
  const cwd = folder({
    "pack.mjs": `
      import { definePack } from "@toolpacks/core";
      export const odd = definePack({ name: "odd", description: "Odd.", budget: 1, needs: ["clock"], tools: () => [] });
    `,
    "mine.json": '{"packs": {"./pack.mjs": {}}}',
  });
  symlinkSync(modules, path.join(cwd, "node_modules"));
  const { code, stderr } = await run(["tools", "--config", "mine.json"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("packs../pack.mjs: needs clock, which this server does not have; it has store, log");
});

test("a pack logs to the server's log", async () => {
  const cwd = folder({
    "pack.mjs": `
      import { definePack } from "@toolpacks/core";
      export const loud = definePack({
        name: "loud", description: "Says so.", budget: 1, needs: ["log"],
        tools: (_, { log }) => { log.warn("tools are made"); log.debug("in detail"); return []; },
      });
    `,
    "mine.json": '{"packs": {"./pack.mjs": {}}}',
  });
  symlinkSync(modules, path.join(cwd, "node_modules"));
  const { stderr } = await run(["tools", "--config", "mine.json", "--log-level", "warn"], { cwd });
  expect(stderr).toBe("toolpacks: tools are made\n");
});
