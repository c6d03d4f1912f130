import { connectPack, hosts } from "@toolpacks/testkit";
import { expect, test } from "vitest";
import { emptyStore } from "./pack.fixture.ts";
import { memory } from "./memory.ts";
import { createTraces } from "./traces/create-traces.ts";

test.each(hosts)("without traces no tool lists them, over %s", async (host) => {
  const { store, remove } = emptyStore();
  const listed = async (pack: ReturnType<typeof memory>) => {
    const connection = await connectPack(pack, host);
    const names = (await connection.listTools()).map(({ name }) => name);
    await connection.close();
    return names.filter((name) => name.startsWith("trace_"));
  };
  expect(await listed(memory({ store }))).toEqual([]);
  expect(await listed(memory({ store, traces: createTraces(store) }))).toEqual(["trace_search", "trace_timeline"]);
  await remove();
});
