import { isObject, quoteName, type Store, type Stored, type ToolContext } from "@toolpacks/core";
import type { z } from "zod";
import { state } from "../states/state.ts";
import { trace } from "../traces/trace.ts";
import { outcomeLabel, sessionOf, toolLabel } from "../traces/trace-line.ts";
import { briefText, type BriefingPart } from "./briefing-part.ts";
import { ownTraces } from "./own-traces.ts";

const maxNext = 8;
const maxFiles = 12;
const maxTools = 8;
const maxFailures = 3;
const maxTextLength = 400;
/** Number of the newest calls of the last session that are summarized. */
const maxCalls = 500;

/** The newest saved state: its goal, next steps, memory and files. */
export async function stateParts(store: Store, { toolNames }: ToolContext): Promise<readonly BriefingPart[]> {
  const { items, total } = await store.query(state, { sort: ["-saved"], limit: 1, skipDamaged: true });
  const [latest] = items;
  if (latest === undefined) return [];
  const { name, saved, goal, memory, next = [], files = [] } = latest.data;
  const shown = (tool: string) => toolNames?.shown(tool) ?? tool;
  const lines = [
    `goal: ${briefText(goal, maxTextLength)}`,
    ...next.slice(0, maxNext).map((step) => `next: ${briefText(step, 200)}`),
    `memory: ${briefText(memory, maxTextLength)}`,
    ...(files.length === 0 ? [] : [`files: ${fileList(files)}`]),
  ];
  const isCut = goal.length > maxTextLength || memory.length > maxTextLength || next.length > maxNext;
  const load = `the whole state (${shown("state_load")} ${JSON.stringify({ name: briefText(name, 200) })})`;
  const earlier = total > 1 ? [`${total - 1} earlier states (${shown("state_list")})`] : [];
  return [
    {
      title: `Last saved state, ${quoteName(briefText(name, 80))}${saved === undefined ? "" : `, ${saved.slice(0, 16)}Z`}`,
      lines,
      leftOut: (count) => [...(isCut || count < lines.length ? [load] : []), ...earlier].join("; ") || undefined,
    },
  ];
}

/** What the last session did, by its traces: tools, files and failures. Calls without a session, such as those of commands, are not counted. */
export async function sessionParts(store: Store, context: ToolContext): Promise<readonly BriefingPart[]> {
  const own = sessionOf(context);
  const others = { session: { exists: true }, ...(own !== undefined && { not: { session: own } }) };
  const newest = { sort: ["-at"], skipDamaged: true } as const;
  const last = await store.query(trace, { ...ownTraces(context, others), ...newest, limit: 1, fields: ["session"] });
  const session = last.items[0]?.data.session;
  if (session === undefined) return [];
  const calls = await store.query(trace, { ...ownTraces(context, { session }), ...newest, limit: maxCalls });
  const lines = sessionLines(calls.items, context);
  const tool = context.toolNames?.shown("trace_timeline") ?? "trace_timeline";
  const times = calls.items.map(({ data }) => data.at);
  return [
    {
      title: `Last session, ${times.at(-1)?.slice(0, 16)}Z to ${times[0]?.slice(0, 16)}Z`,
      lines,
      leftOut: () => `${calls.total} calls (${tool} ${JSON.stringify({ session: briefText(session, 200) })})`,
    },
  ];
}

type Call = Stored<z.output<typeof trace.schema>>;

/** @param calls newest first */
function sessionLines(calls: readonly Call[], { toolNames }: ToolContext): readonly string[] {
  const nameOf = (tool: string) => toolLabel(toolNames?.shown(tool) ?? tool);
  const goal = calls.find(({ data }) => data.goal !== undefined)?.data.goal;
  const changed = calls.filter(({ data }) => data.mutates === true && data.outcome === "ok");
  const failed = calls.filter(({ data }) => data.outcome !== "ok");
  const tools = countTools(calls, nameOf);
  const files = [...new Set(changed.flatMap(({ data }) => filesOf(data.args)))];
  return [
    ...(goal === undefined ? [] : [`goal: ${briefText(goal, maxTextLength)}`]),
    `${calls.length} calls, ${changed.length} changed something, ${failed.length} failed: ${tools}`,
    ...(files.length === 0 ? [] : [`changed files: ${fileList(files)}`]),
    ...failed.slice(0, maxFailures).map(({ data: { tool, result = "", ...ended } }) => {
      return `${outcomeLabel(ended)}: ${nameOf(tool)}: ${briefText(result, 120)}`;
    }),
  ];
}

/** The tools with the most calls: `fs_edit 4, issue_close 1`. */
function countTools(calls: readonly Call[], nameOf: (tool: string) => string): string {
  const counts = Map.groupBy(calls, ({ data }) => data.tool);
  const sorted = [...counts].toSorted(([a, some], [b, more]) => more.length - some.length || (a < b ? -1 : 1));
  const more = sorted.length > maxTools ? ", …" : "";
  return `${sorted
    .slice(0, maxTools)
    .map(([tool, { length }]) => `${nameOf(tool)} ${length}`)
    .join(", ")}${more}`;
}

/** Arguments of tools that name a file. */
const fileArguments = ["path", "file", "from", "to", "paths", "files", "file_path"];

/** The files that the arguments of a call name. A trace has the arguments as JSON, and cuts long ones. */
function filesOf(args: string | undefined): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(args ?? "");
  } catch {
    return [];
  }
  if (!isObject(value)) return [];
  return fileArguments
    .flatMap((name) => value[name])
    .filter((file): file is string => typeof file === "string" && /[./\\]/.test(file));
}

function fileList(files: readonly string[]): string {
  const shown = files.slice(0, maxFiles).map((file) => quoteName(briefText(file, 120)));
  return [...shown, ...(files.length > maxFiles ? [`… ${files.length - maxFiles} more`] : [])].join(", ");
}
