import { definedOnly, type ListPage } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { printTable, type Column } from "../print-table.ts";
import { printError } from "../print.ts";
import { localTime } from "./local-time.ts";
import { callList, printEmpty, showResult, withTools, type ToolResult, type Tools } from "./open-tools.ts";

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
  /** The name of the token or user that called over HTTP. */
  readonly caller?: string;
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
  { title: "caller", isOptional: true },
  { title: "arguments", isText: true, isOptional: true, minWidth: 30, maxWidth: 30 },
  { title: "result", isText: true },
];

/** `toolpacks traces`: lists past calls, the newest last. With `--follow`, it goes on with new calls. */
export async function showTraces(flags: TraceFlags): Promise<void> {
  if (flags.follow === true) return (await import("./follow-traces.ts")).followTraces(flags);
  const result = await withTools(flags, (tools) => listTraces(tools, flags));
  showResult(result, flags, ({ items, total, hint }) => {
    if (items.length === 0) return printEmpty(hint, "no calls match", flags);
    printTraces(items.toReversed());
    if (items.length < total) printError(`the last ${items.length} of ${total} calls; --limit ${total} shows all`);
  });
}

/** Lists past calls, the newest first. */
export function listTraces(
  tools: Tools,
  { tool, since, limit, failed }: TraceFlags,
): Promise<ToolResult<ListPage<Trace>>> {
  const args = definedOnly({ tool, since, outcome: failed === true ? ["failed"] : undefined });
  return callList(tools, { tool: "trace_timeline", args }, limit);
}

export function printTraces(traces: readonly Trace[], hasTitles = true): void {
  const rows = traces.map(({ at, tool, outcome, ms, caller, args, result }) => [
    localTime(at),
    tool,
    outcome,
    Math.round(ms),
    caller,
    args,
    result,
  ]);
  printTable(columns, rows, { hasTitles });
}
