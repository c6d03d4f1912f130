import { defineTool, detail, listSchema, type Tool } from "@toolpacks/core";
import { contentOf, recordList } from "@toolpacks/store";
import { z } from "zod";
import { fromIntent, inWorkspace, limit } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { trace } from "./trace.ts";
import { traceFilter, traceFilterFields } from "./trace-filter.ts";
import { foundTrace, ownSession, renderTraces, sessionOf, traceFields } from "./trace-line.ts";

const defaultLimit = 10;

const input = z.object({
  query: z.string().max(1_000).meta(detail("of its goal, arguments, result, …; empty: the newest")),
  ...traceFilterFields,
  limit: limit.meta(detail(`default ${defaultLimit}`)),
  workspace: inWorkspace,
});

export function traceSearch({ store, traces }: MemoryContext): Tool {
  return defineTool({
    name: "trace_search",
    description: "Find past calls by any words of them.",
    keywords: ["history", "log", "audit", "what did I do", "earlier", "previous calls"],
    examples: [{ say: "what did I do about the migration?", args: { query: "migration", tool: "fs_read", limit: 5 } }],
    mutates: false,
    fromIntent,
    input,
    output: listSchema(traceFields).extend({ session: ownSession }),
    text: renderTraces,
    handler: async ({ query, limit: maxItems = defaultLimit, workspace, ...selection }, context) => {
      const hasWords = /[\p{L}\p{N}]/u.test(query);
      await traces?.flush();
      const inside = await openWorkspace(store, workspace);
      const page = await inside.query(trace, {
        ...(hasWords ? { text: contentOf(query), match: "any" as const } : { sort: ["-at"] }),
        filter: traceFilter(selection, context),
        caller: context.principal,
        limit: maxItems,
        skipDamaged: true,
      });
      const { items, total, hint } = recordList(page, foundTrace(context), "Name a limit.");
      return { items, total, hint, session: sessionOf(context) };
    },
  });
}
