import { createCatalog, createDispatcher, definePack, defineTool } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { databaseBehindProxy } from "@toolpacks/store-postgres/fixture";
import { expect, test } from "vitest";
import { z } from "zod";
import { createTraces } from "./create-traces.ts";
import { trace } from "./trace.ts";

const count = definePack({
  name: "count",
  description: "Counts.",
  budget: 200,
  tools: () => [
    defineTool({
      name: "count_up",
      description: "Count.",
      mutates: false,
      input: z.object({ replica: z.int(), number: z.int() }),
      output: z.object({}),
      handler: () => ({}),
    }),
  ],
});

test("traces of several replicas are read once each by generation, those of a replica in the order of its calls, also after a restart", async () => {
  const server = await databaseBehindProxy();
  const calls = 100;
  const reader = postgres(server.address);
  const read: { readonly generation: number; readonly args: string }[] = [];
  let position = 0;
  const readOn = async () => {
    for (let isLast = false; !isLast;) {
      const page = await reader.query(trace, { sinceGeneration: position, limit: 100 });
      read.push(...page.items.map(({ generation, data }) => ({ generation, args: JSON.stringify(data) })));
      isLast = page.cursor === undefined;
      position = isLast ? page.generation : (page.items.at(-1)?.generation ?? position);
    }
  };
  const written = new AbortController();
  const follow = async () => {
    while (!written.signal.aborted) await readOn();
  };
  const replica = async (number: number) => {
    const store = postgres(server.address);
    const traces = createTraces(store);
    const dispatcher = createDispatcher(createCatalog({ packs: [count()] }), { observers: [traces.observer] });
    for (let at = 0; at < calls; at += 1) {
      await dispatcher.dispatch({ name: "count_up", args: { replica: number, number: at } });
      if (at % 20 === 0) await traces.flush();
      if (number === 0 && at === calls / 2) {
        await server.stop();
        await server.start();
      }
    }
    await traces.flush();
    await store.end();
  };
  const following = follow();
  await Promise.all([0, 1, 2].map(replica));
  written.abort();
  await following;
  await readOn();
  const generations = read.map(({ generation }) => generation);
  expect(generations).toEqual([...new Set(generations)].toSorted((one, other) => one - other));
  for (const number of [0, 1, 2]) {
    const own = read.flatMap(({ args }) => {
      const found = new RegExp(`replica\\W+${number}\\D+number\\W+(\\d+)`).exec(args)?.[1];
      return found === undefined ? [] : [Number(found)];
    });
    expect(own).toEqual(Array.from({ length: calls }, (_, at) => at));
  }
  await reader.end();
  await server.remove();
}, 120_000);
