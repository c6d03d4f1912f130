import { setTimeout as wait } from "node:timers/promises";
import type { ListPage } from "@toolpacks/core";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { printJson } from "../print.ts";
import { requireValue, toolsOf, type Tools } from "./open-tools.ts";
import { listTraces, printTraces, type Trace, type TraceFlags } from "./traces.ts";

/** Debounce time of writes, in ms. */
const debounceMs = 100;
const pageSize = 200;

/** `toolpacks traces --follow`: prints the past calls, and then each call when its trace is written, until it is interrupted. */
export async function followTraces(flags: TraceFlags): Promise<void> {
  // A trace of each look at the traces would wake the next one.
  const runtime = await createRuntime(flags, { quiet: "error", recordsTraces: false });
  const ended = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ended.abort());
  try {
    await follow(runtime, flags, ended.signal);
  } finally {
    await runtime.finish();
  }
}

async function follow(runtime: Runtime, flags: TraceFlags, ended: AbortSignal): Promise<void> {
  const tools = toolsOf(runtime, ended);
  let changed = new AbortController();
  const stop = await runtime.store.watch(() => changed.abort());
  let generation = await currentGeneration(tools);
  const shown = requireValue(await listTraces(tools, flags)).items.toReversed();
  show(shown, flags, true);
  const known = new Set(shown.map(({ id }) => id));
  while (!ended.aborted) {
    const next = await readNew(tools, generation);
    if (ended.aborted) break;
    generation = next.generation;
    const isNew = (trace: Trace) => !known.has(trace.id) && isWanted(trace, flags);
    show(next.traces.filter(isNew), flags, false);
    await wait(2 ** 31 - 1, undefined, { signal: AbortSignal.any([changed.signal, ended]) }).catch(() => {});
    await wait(debounceMs, undefined, { signal: ended }).catch(() => {});
    changed = new AbortController();
  }
  await stop();
}

interface NewTraces {
  readonly traces: readonly Trace[];
  /** The generation to continue from. */
  readonly generation: number;
}

/** A page of records with their generations. */
interface FeedPage extends ListPage<Trace & { readonly generation: number }> {
  readonly generation: number;
}

/** Reads the traces that were written after a generation, in the order of their writes. */
async function readNew(tools: Tools, sinceGeneration: number): Promise<NewTraces> {
  const traces: Trace[] = [];
  const feed = { kind: "trace", sinceGeneration, fields: ["*"], limit: pageSize };
  for (let cursor: string | undefined; ;) {
    const page = requireValue(
      await tools.call<FeedPage>({ tool: "store_query", args: { ...feed, ...(cursor !== undefined && { cursor }) } }),
    );
    traces.push(...page.items.map(({ generation, ...trace }) => ({ ...trace, storeGeneration: generation })));
    if (page.cursor === undefined) return { traces, generation: page.generation };
    ({ cursor } = page);
  }
}

async function currentGeneration(tools: Tools): Promise<number> {
  const args = { kind: "trace", limit: 0 };
  return requireValue(await tools.call<FeedPage>({ tool: "store_query", args })).generation;
}

/** Whether the flags select a trace. `trace_timeline` selects past calls in the same way. */
function isWanted({ tool, outcome }: Trace, flags: TraceFlags): boolean {
  if (flags.failed === true && outcome === "ok") return false;
  if (flags.tool === undefined) return true;
  return flags.tool.endsWith("*") ? tool.startsWith(flags.tool.slice(0, -1)) : tool === flags.tool;
}

/** Prints traces below each other, the titles once. */
function show(traces: readonly Trace[], { json }: TraceFlags, hasTitles: boolean): void {
  if (json === true) for (const trace of traces) printJson(trace);
  else if (traces.length > 0 || hasTitles) printTraces(traces, hasTitles);
}
