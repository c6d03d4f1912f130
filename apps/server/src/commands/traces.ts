import { definedOnly, type ListPage } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { printTable, type Column } from "../print-table.ts";
import { printError } from "../print.ts";
import { localTime } from "./local-time.ts";
import { callTool, printEmpty, showResult } from "./open-tools.ts";

export interface TraceFlags extends Flags {
  readonly follow?: boolean;
  readonly failed?: boolean;
  readonly tool?: string;
  /** ISO time. */
  readonly since?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** A past call as the tools return it. */
export interface Trace {
  readonly id: string;
  readonly tool: string;
  readonly at: string;
  /** `ok`, or the code of the failure. */
  readonly outcome: string;
  readonly ms: number;
  readonly args?: string;
  readonly result?: string;
  /** The store's generation when the trace was written. */
  readonly storeGeneration?: number;
}

const columns: readonly Column[] = [
  { title: "time", minWidth: "2027-01-31 09:00:00".length, style: () => "dim" },
  { title: "tool", minWidth: 16, style: () => "cyan" },
  { title: "outcome", minWidth: "invalid_input".length, style: (outcome) => (outcome === "ok" ? "green" : "red") },
  { title: "ms", minWidth: 5 },
  { title: "arguments", isText: true, isOptional: true, minWidth: 30, maxWidth: 30 },
  { title: "result", isText: true },
];

/** `toolpacks traces`: lists past calls, the newest last. With `--follow`, it goes on with new calls. */
export async function showTraces(flags: TraceFlags): Promise<void> {
  if (flags.follow === true) return (await import("./follow-traces.ts")).followTraces(flags);
  const result = await callTool<ListPage<Trace>>(flags, "trace_timeline", timelineArguments(flags));
  showResult(result, flags, ({ items, total, hint }) => {
    if (items.length === 0) return printEmpty(hint, "no calls match", flags);
    printTraces(items.toReversed());
    if (items.length < total) printError(`the last ${items.length} of ${total} calls; --limit shows more`);
  });
}

/** The arguments of `trace_timeline` for the flags. It lists the newest calls first. */
export function timelineArguments({ tool, since, limit, failed }: TraceFlags): Readonly<Record<string, unknown>> {
  return definedOnly({ tool, since, limit, outcome: failed === true ? ["failed"] : undefined });
}

export function printTraces(traces: readonly Trace[], hasTitles = true): void {
  const rows = traces.map(({ at, tool, outcome, ms, args, result }) => [
    localTime(at),
    tool,
    outcome,
    Math.round(ms),
    args,
    result,
  ]);
  printTable(columns, rows, { hasTitles });
}
