import { defineTool, detail, listSchema, ToolError, type Tool, type ToolContext } from "@toolpacks/core";
import { recordList } from "@toolpacks/store";
import { z } from "zod";
import { cursor, fromIntent, inWorkspace, limit, rangeOf, since, until } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { countKeys, countTraces, renderCounts, traceCount } from "./count-traces.ts";
import { trace } from "./trace.ts";
import { traceFilter, traceFilterFields } from "./trace-filter.ts";
import { foundTrace, ownSession, renderTraces, sessionOf, traceFields } from "./trace-line.ts";

const input = z.object({
  query: z.string().min(1).max(1_000).optional().meta(detail("words that all occur in the goal, arguments, result, …")),
  ...traceFilterFields,
  session: z.string().max(200).optional().meta(detail("only its calls; this: of this session")),
  since,
  until,
  oldest_first: z.boolean().optional().meta(detail("default: newest first")),
  count_by: z
    .enum(countKeys)
    .optional()
    .meta(detail("count the calls in place of listing them: how many, how many mutate, failed and were refused")),
  limit,
  cursor,
  workspace: inWorkspace,
});

const output = listSchema(traceFields).extend({
  session: ownSession,
  counts: z.array(traceCount).optional().describe("all calls together, then the most frequent first"),
});

/** Maximum number of counts, unless the caller names a limit. */
const defaultCounts = 50;

export function traceTimeline({ store, traces }: MemoryContext): Tool {
  return defineTool({
    name: "trace_timeline",
    description: "List past calls, newest first.",
    keywords: ["history", "log", "what happened", "recent", "session", "what changed", "which calls failed", "count"],
    examples: [
      { args: { limit: 10 } },
      {
        say: "what did I change today, and which of these calls failed?",
        args: { mutates: true, since: "2026-01-01", oldest_first: true },
      },
      { say: "which tools did I use most in this session?", args: { count_by: "tool", session: "this" } },
      { say: "which calls failed or were refused?", args: { outcome: ["failed"] } },
    ],
    mutates: false,
    input,
    fromIntent,
    output,
    text: ({ counts, ...page }) => (counts === undefined ? renderTraces(page) : renderCounts(counts, page.hint)),
    handler: async ({ limit: maxItems, cursor: after, workspace, count_by: by, ...request }, context) => {
      await traces?.flush();
      const inside = await openWorkspace(store, workspace);
      const query = { ...selectionOf(request, context), caller: context.principal };
      if (by !== undefined) {
        const { counts, hint } = await countTraces(inside, { query, by, context, limit: maxItems ?? defaultCounts });
        return { items: [], total: counts[0]?.calls ?? 0, counts, hint };
      }
      const page = await inside.query(trace, {
        ...query,
        sort: [request.oldest_first === true ? "at" : "-at"],
        compaction: { over: 30, show: 20 },
        skipDamaged: true,
        limit: maxItems,
        cursor: after,
      });
      const list = recordList(page, foundTrace(context), "Name a limit, a tool, a pack, a session, or a time.");
      return { ...list, session: sessionOf(context) };
    },
  });
}

type Selection = Omit<z.output<typeof input>, "limit" | "cursor" | "workspace" | "count_by">;

function selectionOf({ query, session, since: from, until: to, ...selection }: Selection, context: ToolContext) {
  const filter = {
    ...traceFilter(selection, context),
    session: session === "this" ? thisSession(context) : session,
    at: rangeOf({ gte: from, lt: to }),
  };
  return { filter, text: query };
}

/** @throws ToolError if the transport has no sessions */
function thisSession(context: ToolContext): string {
  const session = sessionOf(context);
  if (session !== undefined) return session;
  throw new ToolError(
    "invalid_input",
    "session: this connection has no session, such as over HTTP without context.sessionId",
    "Leave session out, and name a time: since.",
  );
}
