import { defineTool, detail, listSchema, todayText, ToolError, unlisted, type Catalog } from "@toolpacks/core";
import { z } from "zod";
import type { IndexedCatalog } from "./lazy-finder.ts";
import type { Hit } from "./hit.ts";
import type { HitGroup } from "./search-answer.ts";
import { renderGroups } from "./search-groups.ts";
import type { ToolFinderOptions } from "./search/tool-finder.ts";

const maxQueries = 20;

const input = z.object({
  query: z
    .preprocess(
      (value) => (typeof value === "string" ? [value] : value),
      z.array(z.string().min(1).max(1_000)).min(1).max(maxQueries),
    )
    .describe("one action each"),
  limit: z.int().min(1).max(50).optional().meta(detail("hits of each query; default 5")),
  facet: z.string().max(200).optional().describe("this pack only"),
  as: z
    .enum(["signatures", "code"])
    .optional()
    .meta(unlisted("code: TypeScript declarations, for scripts; default signatures")),
});

const hit = z.object({ name: z.string(), facet: z.string(), mutates: z.boolean(), signature: z.string() });

const output = listSchema(hit).extend({
  queries: z
    .array(
      z.object({
        query: z.string(),
        hits: z.array(z.int()).describe("indexes of items, best first"),
        hint: z.string().optional(),
      }),
    )
    .optional()
    .describe("of several queries"),
  as: z.literal("code").optional().meta(unlisted("the signatures are TypeScript")),
});

type Answer = z.output<typeof output>;

/** `tool_search`: finds callable tools by sentences. The index is loaded and built at the first search. */
export function toolSearch(catalog: Catalog, options: ToolFinderOptions) {
  let ready: (() => Promise<IndexedCatalog>) | undefined;
  return defineTool({
    name: "tool_search",
    description: "Find tools for all steps of a plan at once. Answers signatures ready to call.",
    keywords: ["find tool", "discover", "capabilities", "what can you do"],
    mutates: false,
    input,
    output,
    text: render,
    handler: async ({ query: queries, limit = 5, facet, as: form }) => {
      checkFacet(catalog, facet);
      const { lazyFinder } = await import("./lazy-finder.ts");
      ready ??= lazyFinder(catalog, options);
      const indexed = await ready();
      const groups = await Promise.all(
        queries.map(async (query) => find({ catalog, ...indexed }, query, { limit, pack: facet })),
      );
      const { layOutHits } = await import("./search-answer.ts");
      const { items, places, total } = layOutHits(groups, form === "code");
      const [only] = groups;
      const hasDates = groups.some(({ hits }) => hits[0]?.found.use?.kind?.recurring !== undefined);
      const today = hasDates ? todayText() : undefined;
      const as = form === "code" ? form : undefined;
      if (groups.length === 1) {
        const hints = [only?.hint, today].filter((hint) => hint !== undefined);
        return { items, total, as, ...(hints.length > 0 && { hint: hints.join("\n") }) };
      }
      const answers = groups.map(({ query, hint }, at) => ({ query, hits: places[at] ?? [], hint }));
      return { items, total, as, queries: answers, hint: today };
    },
  });
}

async function find(
  { catalog, entries, finder }: IndexedCatalog & { readonly catalog: Catalog },
  query: string,
  { limit, pack }: { readonly limit: number; readonly pack: string | undefined },
): Promise<HitGroup> {
  // Some hits may be left out below.
  const { topHits } = await import("./hit.ts");
  const ranking = await finder.find(query, { limit: limit + maxDropped, pack });
  const found = withoutGeneral(topHits(ranking, entries)).slice(0, limit);
  const isNothing = (ranking.hits[0]?.score ?? 0) === 0;
  const hint = isNothing ? nothingHint(catalog, pack, found.length) : weakHint;
  return { query, hits: found, ...(ranking.weak && { hint }) };
}

/** Maximum tools that are left out because one of their uses is a better hit. */
const maxDropped = 3;

/** Leaves out a tool after one of its uses, whose line says more. */
function withoutGeneral(hits: readonly Hit[]): readonly Hit[] {
  return hits.filter(
    ({ found: { tool, use } }, at) =>
      use !== undefined || !hits.slice(0, at).some((better) => better.found.tool === tool),
  );
}

function render({ items, total, hint, queries, as }: Answer): string {
  const mark = as === "code" ? "// " : "";
  const lines = queries === undefined ? items.map(({ signature }) => signature) : renderGroups(queries, items, mark);
  const isUnknown = as === "code" && items.some(({ signature }) => signature.endsWith("Promise<unknown>;"));
  const notes = [
    ...(total > items.length ? [`(${items.length} of ${total} hits)`] : []),
    ...(isUnknown ? ["unknown: the result's JSON, an object or a list, or else { text: string }"] : []),
    ...(hint === undefined ? [] : hint.split("\n")),
  ].map((note) => `${mark}${note}`);
  return (as === "code" ? ["declare const tools: {", ...lines, "};", ...notes] : [...lines, ...notes]).join("\n");
}

function checkFacet(catalog: Catalog, facet: string | undefined): void {
  const facets = catalog.packs.map((pack) => pack.name);
  if (facet === undefined || facets.includes(facet)) return;
  throw new ToolError(
    "not_found",
    `facet: no mounted pack is named ${JSON.stringify(facet)}`,
    `Mounted: ${facets.join(", ") || "none"}.`,
  );
}

const weakHint = "Weak: no tool says much of this, these are the nearest. Try other words.";

function nothingHint(catalog: Catalog, facet: string | undefined, shown: number): string {
  const packs = catalog.packs.map((pack) => pack.name).join(", ") || "none";
  if (shown === 0) return `No tool can be called${facet === undefined ? "" : " there"}. Mounted packs: ${packs}.`;
  const where = facet === undefined ? "" : " or leave out facet";
  return `Nothing matches, these names are the nearest. Try other words${where}. Mounted packs: ${packs}.`;
}
