import type { ListPage } from "@toolpacks/core";
import { printJson } from "../print.ts";
import { requireValue, withUntracedTools, type Tools } from "./open-tools.ts";
import { listTraces, printTraces, type Trace, type TraceFlags } from "./traces.ts";
import { watchStore } from "./watch-store.ts";

const pageSize = 200;

/** `toolpacks traces --follow`: prints the past calls, and then each call when its trace is written, until it is interrupted. */
export async function followTraces(flags: TraceFlags): Promise<void> {
  await withUntracedTools(flags, async (tools, store) => {
    let generation = await currentGeneration(tools);
    const past = requireValue(await listTraces(tools, flags)).items.toReversed();
    show(past, flags, true);
    const shown = new Set(past.map(({ id }) => id));
    await watchStore(store, async () => {
      const next = await readNew(tools, generation);
      generation = next.generation;
      const isNew = (trace: Trace) => !shown.has(trace.id) && isWanted(trace, flags);
      show(next.traces.filter(isNew), flags, false);
    });
  });
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
