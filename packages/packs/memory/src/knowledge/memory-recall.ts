import { defineTool, listSchema, quoteName, renderList, ToolError, type Store, type Tool } from "@toolpacks/core";
import { contentOf, contentWords, damagedHint, labelWorkspaces } from "@toolpacks/store";
import { addParts } from "../episodes/recall-parts.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { entity } from "./entity.ts";
import { findCandidates, type Candidates } from "./find-candidates.ts";
import { rankObservations } from "./rank-observations.ts";
import { defaultLimit, recallRequest, type RecallRequest } from "./recall-request.ts";
import { describeObservation, describePart, recalledItem, renderItem, type RecalledItem } from "./recalled-item.ts";

/**
 * The share of a question that the best observation contains, and its similarity, below which nothing relevant is known: wrongly said of at most 3 % of the
 * questions with an answer (ten small worlds, LoCoMo).
 */
const minCoverage = 0.15;
const relevantSimilarity = 0.22;
const notKnown = "Nothing relevant is known: these share few of the words.";
/** Below both of these, matches are weak: said of 78 % of the questions without an answer and of 56 % of the others in the worlds (by the model 71 % and 36 %). */
const tellingCoverage = 0.5;
const tellingSimilarity = 0.48;
const nothing = "Nothing is known of it. Try fewer or other words.";
const onlyWeak = "Only weak matches: they may not answer the question.";

export function memoryRecall({ store, compare }: MemoryContext): Tool {
  return defineTool({
    name: "memory_recall",
    description: "Recall what is known.",
    keywords: [
      "search",
      "find",
      "look up",
      "remember",
      "what do we know",
      "search nodes",
      "facts",
      "knowledge",
      "entities",
      "observations",
    ],
    examples: [
      { say: "what do we know about Anna's work?", args: { query: "Anna's work" } },
      { args: { query: "deploy freeze", tags: ["runbook"], since: "2026-01-01", history: true, limit: 3 } },
      { say: "where did Anna work in March?", args: { query: "where does Anna work", asOf: "2026-03-31" } },
    ],
    mutates: false,
    input: recallRequest,
    output: listSchema(recalledItem),
    text: (page) => renderList(page, renderItem),
    handler: async (request) => {
      if (request.history === true && request.asOf !== undefined) {
        throw new ToolError(
          "invalid_input",
          "history: not allowed with asOf",
          "Give asOf for what held at a time, or history for all of the past.",
        );
      }
      const everyWorkspace = request.workspace === "*";
      const inside = everyWorkspace ? store : await openWorkspace(store, request.workspace);
      const found = await recall({ store: inside, compare }, request);
      const { shown, parts, partCount, isNear } = await addParts({ store: inside, compare }, request, found.items);
      const workspaces = new Set([...shown, ...parts].map((one) => one.workspace));
      const labels = everyWorkspace ? labelWorkspaces(inside, workspaces) : undefined;
      const description = { wanted: contentWords(request.query), labels, history: request.history === true };
      const items = [
        ...shown.map((one) => describeObservation(one, description)),
        ...parts.map((one) => describePart(one, description)),
      ];
      const all = items.length > 0 ? items : await entitiesOf(inside, request);
      const total = Math.max(found.total + partCount, all.length);
      const isOnlyWeak = isNear && (shown.length === 0 || found.hint === notKnown);
      const hint = isOnlyWeak ? onlyWeak : (found.hint ?? (all.length === 0 ? nothing : undefined));
      const hints = [hint, found.damaged && damagedHint(found.damaged)];
      return { items: [...all], total, hint: hints.filter(Boolean).join("\n") || undefined };
    },
  });
}

async function recall(
  { store, compare }: Pick<MemoryContext, "store" | "compare">,
  request: RecallRequest,
): Promise<Candidates> {
  const { query: question, asOf } = request;
  const found = await findCandidates(store, request);
  if (found.isOrdered) return found;
  const now = asOf === undefined ? Date.now() : Date.parse(asOf);
  const keepsUnrelated = found.hint !== undefined;
  const ranking = { question, now, compare, keepsUnrelated };
  const { items, coverage, similarity } = await rankObservations(found.items, ranking);
  const isUnknown = coverage < minCoverage && (similarity ?? 0) < relevantSimilarity;
  const isWeak = coverage < tellingCoverage && similarity !== undefined && similarity < tellingSimilarity;
  const hint = isUnknown ? notKnown : isWeak ? onlyWeak : undefined;
  const total = found.total - (found.items.length - items.length);
  return { ...found, items, total, hint: found.hint ?? (items.length > 0 ? hint : undefined) };
}

/** Entities whose name or type matches the query. Used if no observation matches. */
async function entitiesOf(store: Store, request: RecallRequest): Promise<readonly RecalledItem[]> {
  const isNarrowed = [request.entity, request.since, request.until, request.asOf].some((one) => one !== undefined);
  if (isNarrowed || contentWords(request.query).size === 0) return [];
  const { tags: tagged = [], workspace } = request;
  const found = await store.query(entity, {
    text: contentOf(request.query),
    match: "any",
    limit: request.limit ?? defaultLimit,
    filter: { and: tagged.map((tag) => ({ tags: { contains: tag } })) },
    everyWorkspace: workspace === "*",
    skipDamaged: true,
  });
  return found.items.map(({ id, data }) => ({
    id,
    text: `${quoteName(data.name)} is known${data.type === undefined ? "" : ` (${quoteName(data.type)})`}, only by its name.`,
    about: [data.name],
  }));
}
