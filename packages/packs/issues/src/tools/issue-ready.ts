import { defineTool, detail, listed, listSchema, quoteName, ToolError, type Filter } from "@toolpacks/core";
import { z } from "zod";
import { findActor, type IssuesContext } from "../context.ts";
import { describeWait } from "../gate.ts";
import { readyItem, renderItem, toReadyItem } from "../issue-item.ts";
import { gateTime } from "../issue-record.ts";
import { listFields, listIssues, matching, renderIssues } from "../list-issues.ts";
import { assignedToOthers, availableTo, readyFilter } from "../ready-filter.ts";
import { readConditions, whereField } from "../where.ts";

/** Maximum number of ready issues that are counted. Counting more takes longer than reading the page. */
const maxCounted = 100;

export function issueReady(context: IssuesContext) {
  const { show } = context.compaction;
  return defineTool({
    name: "issue_ready",
    description: `List unblocked issues, most urgent first; ${show} of many.`,
    keywords: ["next", "what to do", "unblocked", "available work"],
    examples: [{ say: "what should I do next", args: { limit: 5 } }],
    mutates: false,
    input: z.object({
      in_progress: z.boolean().optional().meta(detail("also issues in progress")),
      where: whereField.meta(listed({ type: "object" })),
      ...listFields(context.compaction),
    }),
    output: listSchema(readyItem),
    text: (page) => renderIssues(page, renderItem),
    handler: async ({ in_progress: working = false, cursor: received, ...request }, call) => {
      const { now, ...at } = openClockCursor(received);
      const ready = readyFilter({ now });
      const paged = { ...request, ...at };
      if (readConditions(request.where).assignee !== undefined) {
        const state = working ? { in: ["ready", "working"] } : "ready";
        return withClock(now, await list(context, paged, readyFilter({ now, state })));
      }
      const who = findActor(undefined, { context, call });
      const own = { and: [ready, availableTo(who)] };
      const filter = working ? { or: [own, readyFilter({ now, state: "working" })] } : own;
      const isFirst = received === undefined;
      const gates = isFirst && request.where === undefined ? await describeGates(context, now) : "";
      const page = await list(context, paged, filter);
      // With so many issues, nobody needs those of others.
      const left =
        isFirst && page.total < maxCounted
          ? await hintLeftOut(context, request.where, { and: [ready, assignedToOthers(who)] })
          : "";
      const hint = [page.hint, left, gates].filter(Boolean).join("\n");
      return withClock(now, { ...page, hint: hint || undefined });
    },
  });
}

function list(context: IssuesContext, request: Parameters<typeof listIssues>[1], filter: Filter) {
  return listIssues(context, request, { filter, sort: "priority", item: toReadyItem, countTo: maxCounted });
}

/**
 * Splits a cursor into the time of the first page and the store's cursor. All pages of a list use the time of its first page.
 */
function openClockCursor(cursor: string | undefined): { readonly now: string; readonly cursor?: string } {
  if (cursor === undefined) return { now: new Date().toISOString() };
  const match = /^([0-9a-z]{1,9})\.(.+)$/.exec(cursor);
  const time = Number.parseInt(match?.[1] ?? "", 36);
  if (match?.[2] === undefined || Number.isNaN(new Date(time).getTime()))
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  return { now: new Date(time).toISOString(), cursor: match[2] };
}

type ReadyPage = Awaited<ReturnType<typeof list>>;

function withClock(now: string, page: ReadyPage): ReadyPage {
  return page.cursor === undefined ? page : { ...page, cursor: `${Date.parse(now).toString(36)}.${page.cursor}` };
}

type Where = Parameters<typeof readConditions>[0];

/** Says how many ready issues of others the list leaves out. Empty: none. */
async function hintLeftOut({ store, kind }: IssuesContext, where: Where, filter: Filter): Promise<string> {
  const query = { ...matching(readConditions(where), filter), fields: [], limit: 0, countTo: maxCounted };
  const { total, atLeast } = await store.query(kind, query);
  if (total === 0) return "";
  const count = `${atLeast === true ? "More than " : ""}${total} more`;
  return `${count} ${total === 1 ? "is" : "are"} assigned to others: where {"assignee": "any"}.`;
}

const maxNamedGates = 5;

/** Describes the gates that hold issues back now, one line each, and how many more there are. Empty: none does. */
async function describeGates({ store, kind }: IssuesContext, now: string): Promise<string> {
  const query = { filter: { "graph.state": "waiting" }, sort: ["priority"], limit: maxNamedGates * 2 };
  const { items, total } = await store.query(kind, query);
  const open = items.filter(({ data }) => (gateTime(data) ?? now) >= now);
  if (open.length === 0) return "";
  const lines = open.slice(0, maxNamedGates).map(({ id, data }) => {
    const held = data.graph?.dependents ?? 0;
    return `${quoteName(id)} waits ${quoteName(describeWait(data, now))}: ${quoteName(data.title)} (${held} ${held === 1 ? "depends" : "depend"} on it)`;
  });
  const more = total - (items.length - open.length) - lines.length;
  return [
    "Gates, to be closed with the answer as the reason:",
    ...lines,
    ...(more > 0 ? [`(and ${more} more: issue_list {"where": {"issue_type": "gate"}})`] : []),
  ].join("\n");
}
