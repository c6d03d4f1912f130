import { z } from "zod";
import { detail, listSchema, renderList, defineTool, type Tool, isObject } from "@toolpacks/core";
import { renderRecord } from "./record-line.ts";
import { filterSchema, kindUses } from "./kind-uses.ts";
import { kindName, onlyKinds, type StoreTools } from "./store-tools.ts";

export const queryInput = z.object({
  // The query checks the names. A zod record would drop `__proto__`.
  filter: z
    .unknown()
    .refine(isObject, "expected an object of conditions")
    .meta({ type: "object" })
    .optional()
    .describe("{field: value | {gt|gte|lt|lte|in|contains|exists: …}, and|or: […], not: {…}}"),
  text: z.string().max(1_000).optional().meta(detail("words that all occur, else the nearest")),
  sort: z.array(z.string().max(200)).max(4).optional().describe("-field descends"),
  limit: z.int().min(0).max(200).optional().meta(detail("default: few of many")),
  cursor: z.string().max(8_000).optional().meta(detail("from the page before")),
  fields: z.array(z.string().max(200)).max(50).optional().describe("* is all"),
  includeClosed: z.boolean().optional().meta(detail("closed ones too")),
  sinceGeneration: z.int().min(0).optional().meta(detail("only what was written after it, oldest first")),
});

export const queryOutput = listSchema(z.looseObject({ id: z.string() })).extend({
  generation: z.int(),
  today: z.string().optional().describe("of a kind whose records recur"),
});

const verbs = ["list", "search", "find", "show", "get", "look up"];

/** `store_query`: finds records of any kind. */
export function storeQuery(tools: StoreTools): Tool {
  let selfContained: Tool | undefined;
  const names = tools.kinds.all.map(({ name }) => name).join(", ") || "none";
  const kind = z.string().max(200).describe(names);
  return { ...queryTool(tools, kindName), selfContained: () => (selfContained ??= queryTool(tools, kind)) };
}

/** @param kind the schema of the kind's name */
function queryTool(tools: StoreTools, kind: z.ZodString): Tool {
  const tool = defineTool({
    name: "store_query",
    description: "Find records by fields, words or changes.",
    keywords: [...verbs, ...tools.kinds.all.map(({ name }) => name)],
    mutates: false,
    input: z.object({ kind, ...queryInput.shape }),
    output: queryOutput,
    text: renderQuery,
    handler: async ({ kind: name, ...query }, { principal }) => {
      const kind = tools.kinds.find(name);
      const { runQuery } = await import("./run-query.ts");
      return runQuery(tools, kind, { ...query, caller: principal });
    },
  });
  return {
    ...tool,
    forKinds: (isIncluded) => storeQuery(onlyKinds(tools, isIncluded)),
    uses: kindUses(tool, {
      kinds: tools.kinds.all,
      // As many words as those of store_put, so that the tool with fewer is not the better hit.
      keywords: [...verbs, "filter"],
      fields: (kind, { filter = {} }) => ({ filter: filterSchema(kind, filter) }),
    }),
  };
}

function renderQuery(page: z.output<typeof queryOutput>): string {
  const list = renderList(page, renderRecord);
  return page.today === undefined ? list : `${list}\n${page.today}`;
}
