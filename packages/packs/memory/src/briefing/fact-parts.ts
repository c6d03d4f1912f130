import type { Filter, Store, ToolContext } from "@toolpacks/core";
import { observation, type StoredObservation } from "../knowledge/observation.ts";
import { trace } from "../traces/trace.ts";
import { briefText, listPart, shownTool, type BriefingPart } from "./briefing-part.ts";
import { ownTraces } from "./session-parts.ts";

const maxFacts = 20;
const maxTagged = 10;
const maxUsed = 5;
/** Number of the newest recalls that decide which facts are used most. */
const maxRecalls = 200;
const maxTextLength = 300;
const questionTag = "question";
/** The tags of observations that say what always holds. */
const ruleTags = ["rule", "constraint", "preference"];
/** The arguments of `memory_recall` for the newest observations. */
const recallAll = '{"query": "", "limit": 50}';

/** Observations with the tag `question`, newest first. One that is forgotten or superseded by its answer is no longer open. */
export async function questionParts(store: Store, context: ToolContext) {
  const tool = `${shownTool(context, "memory_recall")} {"query": "", "tags": ["${questionTag}"]}`;
  return listPart({ title: "Open questions", noun: "questions", tool, ...(await readTagged(store, [questionTag])) });
}

/** Observations that say what always holds, newest first: work that breaks one is lost. */
export async function ruleParts(store: Store, context: ToolContext) {
  const tool = `${shownTool(context, "memory_recall")} ${recallAll}`;
  return listPart({ title: "Rules", noun: "rules", tool, comes: "first", ...(await readTagged(store, ruleTags)) });
}

async function readTagged(store: Store, tags: readonly string[]) {
  const query = { filter: hasTag(tags), sort: ["-since"], limit: maxTagged, skipDamaged: true };
  const { items, total } = await store.query(observation, query);
  return { lines: items.map(factLine), total };
}

function hasTag(tags: readonly string[]): Filter {
  return { or: tags.map((tag) => ({ tags: { contains: tag } })) };
}

/** The facts that were recalled most often, then the newest facts. */
export async function factParts(store: Store, context: ToolContext): Promise<readonly BriefingPart[]> {
  const filter = { not: hasTag([questionTag, ...ruleTags]) };
  const newest = await store.query(observation, { filter, sort: ["-since"], limit: maxFacts, skipDamaged: true });
  const used = await frequentlyRecalled(store, context);
  const usedIds = new Set(used.map(({ id }) => id));
  const facts = [...used, ...newest.items.filter(({ id }) => !usedIds.has(id))];
  return listPart({
    title: "Facts, the most recalled and the newest first",
    lines: facts.map(factLine),
    total: newest.total,
    noun: "facts",
    comes: "last",
    tool: `${shownTool(context, "memory_recall")} ${recallAll}`,
  });
}

const observationId = /(?<![\w-])[0-9a-z]{16}(?:\.\d+)?(?![\w-])/g;

/** The open facts that at least two of the newest recalls answered. A trace has the beginning of an answer, so only the best matches count. */
async function frequentlyRecalled(store: Store, context: ToolContext): Promise<readonly StoredObservation[]> {
  const recalls = await store.query(trace, {
    ...ownTraces(context, { tool: "memory_recall" }),
    sort: ["-at"],
    limit: maxRecalls,
    fields: ["result"],
    skipDamaged: true,
  });
  const counts = new Map<string, number>();
  for (const { data } of recalls.items) {
    const ids = new Set(data.result?.match(observationId) ?? []);
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const often = [...counts].filter(([, count]) => count > 1);
  const ids = often
    .toSorted(([first, a], [second, b]) => b - a || (first < second ? -1 : 1))
    .slice(0, maxRecalls / 2)
    .map(([id]) => id);
  if (ids.length === 0) return [];
  const filter = { id: { in: ids }, not: hasTag([questionTag, ...ruleTags]) };
  const found = await store.query(observation, { filter, limit: ids.length, skipDamaged: true });
  const byId = new Map(found.items.map((fact) => [fact.id, fact]));
  return ids.flatMap((id) => byId.get(id) ?? []).slice(0, maxUsed);
}

function factLine({ data: { text, about = [] } }: StoredObservation): string {
  const shown = briefText(text, maxTextLength);
  const named = about.filter((name) => !shown.includes(name)).slice(0, 3);
  return named.length === 0 ? shown : `${shown} (about ${named.map((name) => briefText(name, 60)).join(", ")})`;
}
