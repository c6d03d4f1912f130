import { principalName, quoteName, renderList, type ListPage, type Stored, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import type { trace } from "./trace.ts";

export const traceFields = z.object({
  id: z.string(),
  tool: z.string(),
  pack: z.string().optional(),
  mutates: z.boolean().optional(),
  at: z.string(),
  outcome: z.string(),
  refused: z.boolean().optional(),
  ms: z.number(),
  goal: z.string().optional(),
  args: z.string().optional(),
  result: z.string().optional(),
  session: z.string().optional(),
  /** The caller's name, where the local user lists the calls of others. */
  caller: z.string().optional(),
  batch: z.string().optional(),
  /** The store's generation when the trace was written. Earlier writes of the call have lower ones. */
  storeGeneration: z.int().optional(),
});

/** The session of the call that lists traces, for the headings of other sessions. */
export const ownSession = z.string().optional().describe("this session");

export type TraceFields = z.output<typeof traceFields>;

/** The id of the session of a call. Undefined: its transport has no sessions. */
export function sessionOf({ intent, session }: ToolContext): string | undefined {
  return intent?.sessionId ?? session;
}

type StoredTrace = Stored<z.output<typeof trace.schema>>;

/** Converts stored traces for tool results, with the names of tools that the caller reads. */
export function foundTrace({ toolNames, principal }: ToolContext): (stored: StoredTrace) => TraceFields {
  return ({ id, generation, data: { caller, ...data } }) => ({
    id,
    ...data,
    ...(caller !== undefined && caller !== principal && { caller: principalName(caller) }),
    tool: toolNames?.shown(data.tool) ?? data.tool,
    storeGeneration: generation,
  });
}

const maxGoalLength = 120;
const maxSessionLength = 40;
const maxArgsLength = 160;
const maxResultLength = 160;

export function renderTraces({ session, ...page }: ListPage<TraceFields> & { readonly session?: string }): string {
  const list = renderList({ ...page, items: traceLines(page.items, session) }, (line) => line);
  return `${list}${renderFailures(page.items)}`;
}

/** A line with the number of calls that failed, unless all did. */
function renderFailures(traces: readonly ShownTrace[]): string {
  const failed = traces.filter(({ outcome }) => outcome !== "ok").length;
  if (failed === traces.length) return "";
  return failed === 0 ? "\n(none of these calls failed)" : `\n(${failed} of these ${traces.length} calls failed)`;
}

type ShownTrace = Omit<TraceFields, "id">;

/**
 * Each trace as one line, without its id. The calls of a batch stand together. Traces in a row with the same session and goal have these once, in a line
 * above them.
 *
 * @param own the session that no line names
 */
export function traceLines(traces: readonly ShownTrace[], own: string | undefined): string[] {
  let last = "";
  return groupBatches(traces).map((trace) => {
    const heading = headingOf(trace, own);
    const isSame = heading === last;
    last = heading;
    if (heading === "") return traceLine(trace);
    return `${isSame ? "" : `${heading}\n`}  ${traceLine(trace)}`;
  });
}

function groupBatches(traces: readonly ShownTrace[]): readonly ShownTrace[] {
  return [...Map.groupBy(traces, (trace) => trace.batch ?? trace).values()].flat();
}

function headingOf({ goal, session, caller }: ShownTrace, own: string | undefined): string {
  const parts = [
    ...(caller === undefined ? [] : [`caller ${caller}`]),
    ...(session === undefined || session === own ? [] : [`session ${cutText(session, maxSessionLength)}`]),
    ...(goal === undefined ? [] : [`goal: ${cutText(goal, maxGoalLength)}`]),
  ];
  return parts.join(", ");
}

function traceLine({ at, tool, args, result, ms, ...ended }: ShownTrace): string {
  const { outcome } = ended;
  return [
    `${at.slice(0, 19)} ${toolLabel(tool)}`,
    ...(args === undefined ? [] : [cutText(args, maxArgsLength)]),
    `-> ${outcome === "ok" ? "" : `${outcomeLabel(ended)}: `}${cutText(result ?? "", maxResultLength)}`,
    `${Math.round(ms)} ms`,
  ].join(" ");
}

const shortName = /^[\w-]+: [\w-]+$/;

/** A tool's name on one line. Unknown tools have any name. */
export function toolLabel(name: string): string {
  return shortName.test(name) ? name : quoteName(name);
}

/** How a call ended: `ok`, `failed (not_found)`, or `refused (denied)`. */
export function outcomeLabel({ outcome, refused }: Pick<ShownTrace, "outcome" | "refused">): string {
  if (outcome === "ok") return "ok";
  return `${isRefused({ outcome, refused }) ? "refused" : "failed"} (${quoteName(outcome)})`;
}

/** Whether dispatch refused the call, or its tool did. */
export function isRefused({ outcome, refused }: Pick<ShownTrace, "outcome" | "refused">): boolean {
  return refused === true || outcome === "denied";
}
