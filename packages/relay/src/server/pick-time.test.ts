import { setTimeout as wait } from "node:timers/promises";
import { definePack, defineTool } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { connect, documents, relayedSurface } from "./server.fixture.ts";

const numbers = definePack({
  name: "numbers",
  description: "Numbers for tests.",
  budget: 500,
  tools: () => [
    defineTool({
      name: "number_list",
      description: "List numbers.",
      mutates: false,
      input: z.object({}),
      output: z.object({ items: z.array(z.object({ id: z.int() })) }),
      text: (value) => JSON.stringify(value),
      handler: () => ({ items: Array.from({ length: 3_000 }, (_, id) => ({ id })) }),
    }),
  ],
});

test("the JSONPaths of all handles in one call end after 2 s in total, and a ping is answered meanwhile", async () => {
  const client = await connect(await relayedSurface([documents(), numbers()]));
  const call = async (name: string, args: object) =>
    JSON.stringify(await client.callTool({ name: "tool_invoke", arguments: { name, args } }, { timeout: 60_000 }));

  const handle = /relay:\/\/[a-z2-7]{20}/.exec(await call("number_list", {}))?.[0] ?? "";
  // Each takes a few milliseconds, and finds nothing.
  const never = Array.from({ length: 8 }, () => "@.id < 0").join(" || ");
  const slow = (at: number) => `${handle}#json=$.items[?${never} || @.id == -${at}]`;
  const parts = Array.from({ length: 2_000 }, (_, at) => slow(at + 1));
  const ending = new AbortController();
  const answer = call("doc_write", { content: "x", meta: { parts } }).finally(() => ending.abort());
  let pings = 0;
  while (!ending.signal.aborted) {
    await client.ping();
    await wait(1);
    pings += 1;
  }
  expect(await answer).toMatch(/too_large: .*pick: the JSONPaths of one call took longer than 2 s together/);
  expect(pings).toBeGreaterThan(5);
});
