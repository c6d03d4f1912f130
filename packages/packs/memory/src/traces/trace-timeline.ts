import { defineTool, detail, listSchema, recordList, renderList, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { cursor, fromIntent, inWorkspace, limit, since, until } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { trace } from "./trace.ts";
import { foundTrace, traceFields, traceLine } from "./trace-line.ts";

const input = z.object({
  session: z.string().max(200).optional().meta(detail("only its calls")),
  since,
  until,
  limit,
  cursor,
  workspace: inWorkspace,
});

/** `trace_timeline`: lists past calls, newest first. */
export function traceTimeline({ store, traces }: MemoryContext): Tool {
  return defineTool({
    name: "trace_timeline",
    description: "List past calls, newest first.",
    keywords: ["history", "log", "what happened", "recent", "session"],
    examples: [{ args: { limit: 10 } }, { args: { session: "s1", since: "2026-01-01" } }],
    mutates: false,
    input,
    fromIntent,
    output: listSchema(traceFields),
    text: (page) => renderList(page, traceLine),
    handler: async ({ session, since: from, until: to, limit: maxItems, cursor: after, workspace }, { principal }) => {
      await traces?.flush();
      const inside = await openWorkspace(store, workspace);
      const range = { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) };
      const page = await inside.query(trace, {
        filter: { ...(session !== undefined && { session }), ...(Object.keys(range).length > 0 && { at: range }) },
        caller: principal,
        sort: ["-at"],
        compaction: { over: 20, show: 5 },
        skipDamaged: true,
        ...(maxItems !== undefined && { limit: maxItems }),
        ...(after !== undefined && { cursor: after }),
      });
      return recordList(page, foundTrace, "Name a limit, a session, or a time.");
    },
  });
}
