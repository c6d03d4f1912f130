import {
  isObject,
  jsonValue,
  quoteName,
  type Filter,
  type Query,
  type Store,
  type Stored,
  type ToolContext,
} from "@toolpacks/core";
import type { z } from "zod";
import { state, type State } from "../states/state.ts";
import { trace } from "../traces/trace.ts";
import { outcomeLabel, sessionOf, toolLabel } from "../traces/trace-line.ts";
import { briefText, shownTool, type BriefingPart } from "./briefing-part.ts";

/** Number of the newest states among which the last one by an agent is looked for. */
const maxStates = 20;
const maxEarlierGoals = 2;
const maxNext = 8;
/** Lines of a state's memory. */
const maxParagraphs = 8;
/** Characters of a line of what an agent learned, and of a message. */
const maxLearnedLength = 400;
const maxMessageLength = 600;
export const maxFiles = 12;
const maxTools = 8;
const maxFailures = 3;
const maxTextLength = 400;
/** Number of the newest calls of the last session that are summarized. */
const maxCalls = 500;

/**
 * The newest saved state. If a hook of the client saved that one, the newest state that an agent saved stands before it: what an agent wrote to go on from
 * tells more than the last messages of a conversation.
 */
export async function stateParts(store: Store, context: ToolContext): Promise<readonly BriefingPart[]> {
  const query = { sort: ["-saved"], limit: maxStates, skipDamaged: true } as const;
  const { items, total } = await store.query(state, query);
  const [newest] = items;
  const byAgent = items.find(({ data }) => data.automatic !== true);
  const shown = [...new Set([byAgent, newest])].filter((one) => one !== undefined);
  const rest = total - shown.length;
  return shown.map((one, at) => {
    const isLast = at === shown.length - 1;
    const part = statePart(one.data, one === newest ? earlierGoals(items, shown) : []);
    const whole = `the whole state (${shownTool(context, "state_load")} ${JSON.stringify({ name: briefText(one.data.name, 200) })})`;
    const earlier = isLast && rest > 0 ? [`${rest} earlier states (${shownTool(context, "state_list")})`] : [];
    const leftOut = (count: number) =>
      [...(part.isCut || count < part.lines.length ? [whole] : []), ...earlier].join("; ") || undefined;
    return { title: part.title, lines: part.lines, leftOut };
  });
}

/** The goals of earlier conversations: the last one may have begun with "go on". */
function earlierGoals(items: readonly Stored<State>[], shown: readonly Stored<State>[]): readonly string[] {
  const [newest] = items;
  if (newest?.data.automatic !== true) return [];
  const goals = new Set(items.filter(({ data }) => data.automatic === true).map(({ data }) => data.goal));
  for (const { data } of shown) goals.delete(data.goal);
  return [...goals].slice(0, maxEarlierGoals);
}

function statePart({ automatic, name, goal, memory, next = [], files = [], saved }: State, goals: readonly string[]) {
  const paragraphs = memory.split("\n").filter((line) => line.trim() !== "");
  // The memory of an automatic state is a list of messages.
  const prefix = automatic === true ? "" : "memory: ";
  const maxParagraphLength = automatic === true ? maxMessageLength : maxLearnedLength;
  const learned = paragraphs.slice(0, maxParagraphs).map((line) => `${prefix}${briefText(line, maxParagraphLength)}`);
  const steps = next.slice(0, maxNext).map((step) => `next: ${briefText(step, 200)}`);
  // What an agent learned comes before its further steps.
  const learnedFirst = automatic === true ? 0 : 1;
  const lines = [
    `goal: ${briefText(goal, maxTextLength)}`,
    ...steps.slice(0, 1),
    ...learned.slice(0, learnedFirst),
    ...steps.slice(1),
    ...goals.map((earlier) => `earlier goal: ${briefText(earlier, maxTextLength)}`),
    ...learned.slice(learnedFirst),
    ...(files.length === 0 ? [] : [`files: ${fileList(files)}`]),
  ];
  const isCut =
    goal.length > maxTextLength ||
    next.length > maxNext ||
    paragraphs.length > maxParagraphs ||
    paragraphs.some((line) => line.length > maxParagraphLength);
  const label = `${automatic === true ? "Last conversation" : "Last saved state"}, ${quoteName(briefText(name, 80))}`;
  return { title: saved === undefined ? label : `${label}, ${saved.slice(0, 16)}Z`, lines, isCut };
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
  const tool = shownTool(context, "trace_timeline");
  const times = calls.items.map(({ data }) => data.at);
  return [
    {
      title: `Last session, ${times.at(-1)?.slice(0, 16)}Z to ${times[0]?.slice(0, 16)}Z`,
      lines,
      leftOut: () => `${calls.total} calls (${tool} ${JSON.stringify({ session: briefText(session, 200) })})`,
    },
  ];
}

/** The query for traces of the caller alone. The local user may read the traces of all principals, but a briefing is about its own work. */
export function ownTraces({ principal }: ToolContext, filter: Filter): Pick<Query, "filter" | "caller"> {
  if (principal !== "") return { filter, caller: principal };
  return { filter: { and: [filter, { caller: { exists: false } }] } };
}

type Call = Stored<z.output<typeof trace.schema>>;

/** @param calls newest first */
function sessionLines(calls: readonly Call[], context: ToolContext): readonly string[] {
  const nameOf = (tool: string) => toolLabel(shownTool(context, tool));
  const goal = calls.find(({ data }) => data.goal !== undefined)?.data.goal;
  const changed = calls.filter(({ data }) => data.mutates === true && data.outcome === "ok");
  const failed = calls.filter(({ data }) => data.outcome !== "ok");
  const tools = countTools(calls, nameOf);
  // Tools of this pack name files, such as those of a state, and change none.
  const changers = changed.filter(({ data }) => data.pack !== "memory");
  const files = [...new Set(changers.flatMap(({ data }) => filesOf(data.args)))];
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

const fileArguments = ["path", "file", "from", "to", "paths", "files", "file_path"];

/** The files that the arguments of a call name. A trace has the arguments as JSON, and cuts long ones. */
function filesOf(args: string | undefined): readonly string[] {
  const value = jsonValue(args ?? "");
  if (!isObject(value)) return [];
  return fileArguments
    .flatMap((name) => value[name])
    .filter((file): file is string => typeof file === "string" && /[./\\]/.test(file));
}

export function fileList(files: readonly string[]): string {
  const shown = files.slice(0, maxFiles).map((file) => quoteName(briefText(file, 120)));
  return [...shown, ...(files.length > maxFiles ? [`… ${files.length - maxFiles} more`] : [])].join(", ");
}
