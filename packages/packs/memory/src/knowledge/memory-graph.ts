import { damagedHint } from "@toolpacks/store";
import { defineTool, detail, quoteName, visibleText, type Store, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { entityName, fromIntent, inWorkspace, limit } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { entity } from "./entity.ts";
import { entityId } from "./entity-record.ts";
import { observationsNaming } from "./find-candidates.ts";
import { findEntity, type MissingEntity } from "./known-entity.ts";
import { observation } from "./observation.ts";
import { relation } from "./relation.ts";

const defaultLimit = 20;
/** Maximum number of relations in each direction at each depth. */
const maxRelations = 500;
const observationsPerEntity = 3;
/** Maximum number of observations that are shown in place of an entity that does not exist. */
const maxNaming = 5;
const maxSteps = 10;
const maxEntities = 100;

const input = z.object({
  entity: entityName.meta(detail("where to begin")),
  depth: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .meta(detail(`steps away, default 1, at most ${maxSteps}`)),
  limit: limit.meta(detail(`most entities, default ${defaultLimit}, at most 100`)),
  workspace: inWorkspace,
});

const output = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      type: z.string().optional(),
      depth: z.int().describe("steps away"),
      observations: z.array(z.string()).describe("the newest"),
    }),
  ),
  relations: z.array(z.object({ from: z.string(), type: z.string(), to: z.string() })),
  total: z.int().describe("entities seen, shown or not"),
  naming: z
    .array(z.object({ id: z.string(), text: z.string() }))
    .optional()
    .describe("observations that name it, if it is no entity"),
  hint: z.string().optional(),
});

type Edge = z.output<typeof output>["relations"][number];

export function memoryGraph({ store }: MemoryContext): Tool {
  return defineTool({
    name: "memory_graph",
    description: "Show an entity and what it relates to.",
    keywords: ["neighbours", "relations", "open nodes", "read graph", "connections", "who owns"],
    examples: [{ say: "what is billing connected to?", args: { entity: "billing-api", depth: 2 } }],
    mutates: false,
    fromIntent,
    input,
    output,
    text: render,
    handler: async ({ entity: name, depth = 1, limit: maxItems = defaultLimit, workspace }) => {
      const inside = await openWorkspace(store, workspace);
      const start = await findEntity(inside, name);
      if ("missing" in start) return describeMissing(inside, start.missing);
      const walked = await walk(inside, start.name, {
        depth: Math.min(depth, maxSteps),
        limit: Math.min(Math.max(maxItems, 1), maxEntities),
      });
      const found = await Promise.all([...walked.depths].map(([one, steps]) => describe(inside, one, steps)));
      const items = found.map(({ item }) => item);
      const damaged = found.reduce((sum, one) => sum + one.damaged, walked.damaged);
      const relations = walked.edges.filter(({ from, to }) => walked.depths.has(from) && walked.depths.has(to));
      const isCut = walked.isCut || walked.seen > items.length;
      const hints = [isCut && "There is more: raise limit, or begin nearer.", damaged > 0 && damagedHint(damaged)];
      return { items, relations, total: walked.seen, hint: hints.filter(Boolean).join("\n") || undefined };
    },
  });
}

/** Walks the graph breadth first, so that the limits cut off the furthest entities. */
async function walk(store: Store, start: string, { depth, limit }: { depth: number; limit: number }) {
  const depths = new Map([[start, 0]]);
  const seen = new Set([start]);
  const edges = new Map<string, Edge>();
  let isCut = false;
  let damaged = 0;
  let border = [start];
  for (let step = 1; step <= depth && border.length > 0; step += 1) {
    const ends: string[] = [];
    for (const field of ["from", "to"] as const) {
      const page = await store.query(relation, {
        filter: { [field]: { in: border } },
        limit: maxRelations,
        skipDamaged: true,
      });
      damaged += page.damaged ?? 0;
      isCut ||= page.cursor !== undefined;
      for (const { id, data } of page.items) {
        edges.set(id, data);
        ends.push(field === "from" ? data.to : data.from);
      }
    }
    border = [];
    for (const name of ends) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (depths.size >= limit) continue;
      depths.set(name, step);
      border.push(name);
    }
  }
  return { depths, edges: [...edges.values()], seen: seen.size, isCut, damaged };
}

async function describe(store: Store, name: string, depth: number) {
  const type = (await store.get(entity, entityId(name)))?.data.type;
  const filter = { about: { contains: name } };
  const query = { filter, sort: ["-since"], limit: observationsPerEntity, skipDamaged: true };
  const { items, damaged = 0 } = await store.query(observation, query);
  const observations = items.map(({ data }) => cutText(data.text, 160));
  return { item: { name, type, depth, observations }, damaged };
}

/** The observations that name an entity which does not exist. */
async function describeMissing(store: Store, missing: MissingEntity): Promise<z.input<typeof output>> {
  const { items, hint } = await observationsNaming(store, missing, { limit: maxNaming });
  const naming = items.map(({ id, data }) => ({ id, text: cutText(data.text, 160) }));
  return { items: [], relations: [], total: 0, naming: naming.length > 0 ? naming : undefined, hint };
}

function render({ items, relations, total, naming = [], hint }: z.output<typeof output>): string {
  return [
    ...items.map(({ name, type, observations }) => {
      const known = observations.length === 0 ? "" : `: ${observations.map(visibleText).join(" | ")}`;
      return `${quoteName(name)}${type === undefined ? "" : ` (${quoteName(type)})`}${known}`;
    }),
    ...relations.map(({ from, type, to }) => `${quoteName(from)} -[${quoteName(type)}]-> ${quoteName(to)}`),
    ...(total > items.length ? [`(${items.length} of ${total} entities)`] : []),
    ...naming.map(({ id, text }) => `${id} ${visibleText(text)}`),
    ...(hint === undefined ? [] : [hint]),
  ].join("\n");
}
