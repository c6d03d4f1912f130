import { createCatalog, createDispatcher, renderFailure } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { expect, test } from "vitest";
import { createTraces } from "./traces/create-traces.ts";
import { exportGraph } from "./graph-file/export-graph.ts";
import { importGraph } from "./graph-file/import-graph.ts";
import { memory } from "./memory.ts";

test("on PostgreSQL the tools return the same as on SQLite", async () => {
  const server = await createDatabase();
  const store = postgres(server.address);
  const traces = createTraces(store);
  const catalog = createCatalog({ packs: [memory({ store, traces })] });
  const dispatcher = createDispatcher(catalog, { observers: [traces.observer] });
  const ask = async (name: string, args: object) => {
    const outcome = await dispatcher.dispatch({ name, args });
    return outcome.ok ? outcome.text : renderFailure(outcome.failure);
  };
  const line = '{"type":"entity","name":"__proto__","entityType":"person","observations":["Lives in Lund 🦜"]}';
  expect(await importGraph(store, [line])).toMatchObject({ entities: 1, observations: 1 });
  expect(await all(exportGraph(store))).toEqual([line]);
  const old = (await ask("memory_recall", { query: "who lives in Lund?" })).split(" ")[0];
  await ask("memory_remember", { text: "Lives in Oslo", about: ["__proto__"], supersedes: old });
  expect(await ask("memory_recall", { query: "where does __proto__ live?", history: true })).toMatch(
    /Oslo.*was: Lives in Lund/,
  );
  await ask("memory_remember", { entity: "billing" });
  await ask("memory_link", { from: "__proto__", type: "owns", to: "billing" });
  expect(await ask("memory_graph", { entity: "billing" })).toContain("__proto__ -[owns]-> billing");
  await ask("workspace_create", { name: "shop", purpose: "The shop." });
  expect(await ask("workspace_list", {})).toBe("default\nshop | The shop.");
  await ask("state_save", { name: "one", memory: "m", goal: "Ship the parrot" });
  expect(await ask("workspace_load", {})).toContain("goal: Ship the parrot");
  expect(await ask("trace_search", { query: "parrot" })).toContain("state_save");
  expect(await ask("memory_forget", { entity: "__proto__", permanent: true })).toMatch(/^forgotten/);
  expect(await ask("memory_recall", { query: "Oslo", history: true })).toMatch(/^Nothing/);
  await traces.flush();
  await store.end();
  await server.remove();
}, 120_000);

async function all(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  return read;
}
