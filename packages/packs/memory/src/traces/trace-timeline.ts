import { defineTool, detail, listSchema, recordList, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { cursor, fromIntent, inWorkspace, limit, since, until } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { trace } from "./trace.ts";
import { traceFilter, traceFilterFields } from "./trace-filter.ts";
import { foundTrace, renderTraces, traceFields } from "./trace-line.ts";

const input = z.object({
  query: z.string().min(1).max(1_000).optional().meta(detail("words that all occur in the goal, arguments, result, …")),
  ...traceFilterFields,
  session: z.string().max(200).optional().meta(detail("only its calls")),
  since,
  until,
  oldest_first: z.boolean().optional().meta(detail("default: newest first")),
  limit,
  cursor,
  workspace: inWorkspace,
});

/** `trace_timeline`: lists past calls, newest first. */
export function traceTimeline({ store, traces }: MemoryContext): Tool {
  return defineTool({
    name: "trace_timeline",
    description: "List past calls, newest first.",
    keywords: ["history", "log", "what happened", "recent", "session", "what changed", "which calls failed"],
    examples: [
      { args: { limit: 10 } },
      {
        say: "what did I change today, and which of these calls failed?",
        args: { mutates: true, since: "2026-01-01", oldest_first: true },
      },
    ],
    mutates: false,
    input,
    fromIntent,
    output: listSchema(traceFields),
    text: renderTraces,
    handler: async ({ limit: maxItems, cursor: after, workspace, ...request }, { principal }) => {
      await traces?.flush();
      const inside = await openWorkspace(store, workspace);
      const { query, session, since: from, until: to, oldest_first: isOldestFirst = false, ...selection } = request;
      const range = { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) };
      const page = await inside.query(trace, {
        filter: {
          ...traceFilter(selection),
          ...(session !== undefined && { session }),
          ...(Object.keys(range).length > 0 && { at: range }),
        },
        ...(query !== undefined && { text: query }),
        caller: principal,
        sort: [isOldestFirst ? "at" : "-at"],
        compaction: { over: 30, show: 20 },
        skipDamaged: true,
        ...(maxItems !== undefined && { limit: maxItems }),
        ...(after !== undefined && { cursor: after }),
      });
      return recordList(page, foundTrace, "Name a limit, a tool, a pack, a session, or a time.");
    },
  });
}
