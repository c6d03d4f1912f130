// `node bench/src/large-results.ts`: cost of the relay for a small result, and its effect on a large one; after a build.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, definePack, defineTool } from "@toolpacks/core";
import { createRelay, memoryValues, storeValues, type Relay } from "@toolpacks/relay";
import { serverRelay } from "@toolpacks/relay/server";
import { sqlite } from "@toolpacks/store-sqlite";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { z } from "zod";
import { percentile } from "./connection.ts";

const rounds = 40;
const callsInRound = 5_000;

const echo = defineTool({
  name: "echo_text",
  description: "Echo.",
  mutates: false,
  input: z.object({ text: z.string(), more: z.array(z.string()) }),
  output: z.object({ text: z.string() }),
  handler: ({ text }) => ({ text }),
});
const pack = definePack({ name: "echo", description: "Echoes.", budget: 100, tools: () => [echo] })();
const catalog = createCatalog({ packs: [pack] });
const dispatchers = [
  createDispatcher(catalog),
  createDispatcher(catalog, { interceptors: [async (call, next) => next(call)] }),
  createDispatcher(catalog, { interceptors: [serverRelay({}).interceptor] }),
];

/** Microseconds of a call, by dispatcher, in turns. */
async function perCall(args: object): Promise<number[]> {
  const times: number[][] = dispatchers.map(() => []);
  for (let round = -5; round < rounds; round += 1) {
    for (const [at, dispatcher] of dispatchers.entries()) {
      const start = performance.now();
      for (let call = 0; call < callsInRound; call += 1) await dispatcher.dispatch({ name: "echo_text", args });
      if (round >= 0) times[at]?.push(((performance.now() - start) * 1_000) / callsInRound);
    }
  }
  return times.map((one) => percentile(one, 0.5));
}

const small = { text: "a short text", more: ["a", "b", "c"] };
const long = { text: "x".repeat(5_000), more: Array.from({ length: 50 }, (_, at) => `item ${at} of a longer list`) };
const rows = [];
for (const [what, args] of Object.entries({ "a small call": small, "5 KB and 50 texts": long })) {
  const [bare = 0, passed = 0, relayed = 0] = await perCall(args);
  const us = (value: number) => `${value.toFixed(2)} µs`;
  rows.push({
    what,
    "no interceptor": us(bare),
    "one that does nothing": us(passed),
    relay: us(relayed),
    check: us(relayed - passed),
  });
}
console.table(rows);

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const store = sqlite(path.join(folder, "store.db"));
const lines = Array.from({ length: 120_000 }, (_, at) => `${at}: the quick brown fox jumps over it ${at % 97}`);
const text = `${lines.join("\n")}\n`;
const relays: Readonly<Record<string, Relay>> = {
  "in memory": createRelay({ values: memoryValues() }),
  "in SQLite": createRelay({ values: storeValues({ store }) }),
};

async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: string }> {
  const start = performance.now();
  const result = await work();
  return { result, ms: `${(performance.now() - start).toFixed(1)} ms` };
}

const large = [];
for (const [where, relay] of Object.entries(relays)) {
  await relay.box({ content: [{ type: "text", text: `${text}warm` }] }, "warm");
  const boxed = await timed(() => relay.box({ content: [{ type: "text", text }] }, "read"));
  const [handle = ""] = /relay:\/\/[a-z2-7]+/.exec(JSON.stringify(boxed.result)) ?? [];
  await relay.read({ handle, mode: "grep", pattern: "warm" });
  const unboxed = await timed(() => relay.unbox({ content: handle }));
  if (unboxed.result.content !== text) throw new Error("not what was kept");
  large.push({
    [`${(text.length / 1e6).toFixed(1)} MB`]: where,
    "tokens shown": encode(JSON.stringify(boxed.result.content)).length,
    box: boxed.ms,
    unbox: unboxed.ms,
    "a page from the middle": (await timed(() => relay.read({ handle, start: 2_500_000 }))).ms,
    "last lines": (await timed(() => relay.read({ handle, mode: "lines", start: -5 }))).ms,
    "grep, at the end": (await timed(() => relay.read({ handle, mode: "grep", pattern: "^119999: .*fox" }))).ms,
  });
}
console.table(large);
await store.end();
rmSync(folder, { recursive: true });
