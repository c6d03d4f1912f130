import { damagedHint, labelWorkspaces } from "@toolpacks/store";
import {
  defineTool,
  detail,
  listSchema,
  quoteName,
  renderList,
  ToolError,
  visibleText,
  type Filter,
  type Store,
  type Stored,
  type Tool,
} from "@toolpacks/core";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { describeParts, type ItemDescription } from "../episodes/described-part.ts";
import { asOf, entityName, limit, recordName, since, tags, until } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { addParts } from "../episodes/recall-parts.ts";
import { contentOf, contentWords } from "./content-words.ts";
import { entity } from "./entity.ts";
import { excerpt } from "./excerpt.ts";
import { findEntity } from "./known-entity.ts";
import { observation } from "./observation.ts";
import { observationsNaming, type FoundObservations } from "./observations-naming.ts";
import { passageSimilarities } from "./passage-similarities.ts";
import { rankObservations } from "./rank-observations.ts";

const defaultLimit = 5;

/** Maximum number of full-text results that are ranked. */
const maxFound = 100;
/**
 * Minimum share of a question that the best observation contains. Below it, the answer says that nothing relevant is known: wrongly for 2 % of LoCoMo's
 * questions with an answer.
 */
const minCoverage = 0.15;
const notKnown = "Nothing relevant is known: these share few of the words.";

const input = z.object({
  query: z.string().max(1_000).meta(detail("in plain words; empty: the newest")),
  entity: entityName.optional().meta(detail("only what is about it")),
  tags: tags.meta(detail("all of them")),
  since,
  until,
  asOf,
  limit: limit.meta(detail(`default ${defaultLimit}`)),
  history: z.boolean().optional().meta(detail("what no longer holds, too; not with asOf")),
  workspace: recordName.optional().describe("or *"),
});

const item = z.object({
  id: z.string(),
  kind: z.literal("episode").optional().describe("a part of an imported session"),
  text: z.string(),
  about: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  source: z.string().optional(),
  episode: z.string().optional().describe("the session that it is known from"),
  since: z.string().optional(),
  until: z.string().optional().describe("it no longer holds since then"),
  was: z.string().optional().describe("with history: what it superseded"),
  workspace: z.string().optional(),
});
const output = listSchema(item);

type Request = z.output<typeof input>;
type Item = z.input<typeof item>;
type Observation = Stored<z.output<(typeof observation)["schema"]>>;

/** `memory_recall`: finds the best observations, ranked by words and recency. */
export function memoryRecall({ store, compare }: MemoryContext): Tool {
  return defineTool({
    name: "memory_recall",
    description: "Recall what is known.",
    keywords: ["search", "find", "look up", "remember", "what do we know", "search nodes", "fact", "knowledge"],
    examples: [
      { say: "what do we know about Anna's work?", args: { query: "Anna's work" } },
      { args: { query: "deploy freeze", tags: ["runbook"], since: "2026-01-01", history: true, limit: 3 } },
      { say: "where did Anna work in March?", args: { query: "where does Anna work", asOf: "2026-03-31" } },
    ],
    mutates: false,
    input,
    output,
    text: (page) => renderList(page, line),
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
      const found = await recall({ store: inside, compare }, request, everyWorkspace);
      const wanted = contentWords(request.query);
      const { limit: maxItems = defaultLimit } = request;
      const { shown, parts, partCount } = await addParts(inside, { ...request, maxItems }, found.items);
      const workspaces = new Set([...shown, ...parts].map((one) => one.workspace));
      const labels = everyWorkspace ? labelWorkspaces(inside, workspaces) : undefined;
      const items = [
        ...shown.map((one) => describe(one, { wanted, labels, history: request.history === true })),
        ...describeParts(parts, { wanted, labels }),
      ];
      const all = items.length > 0 ? items : await entitiesOf(inside, request);
      const total = Math.max(found.total + partCount, all.length);
      const hints = [
        found.hint ?? (all.length === 0 ? "Nothing is known of it. Try fewer or other words." : undefined),
        found.damaged && damagedHint(found.damaged),
      ];
      return { items: [...all], total, hint: hints.filter(Boolean).join("\n") || undefined };
    },
  });
}

interface Recalled extends FoundObservations {
  readonly hint?: string;
}

async function recall(
  { store, compare }: Pick<MemoryContext, "store" | "compare">,
  request: Request,
  everyWorkspace: boolean,
): Promise<Recalled> {
  const { query: question, history = false, limit: wanted = defaultLimit } = request;
  const entity = request.entity === undefined ? undefined : await findEntity(store, request.entity);
  const filter = toFilter(request, entity !== undefined && "name" in entity ? entity.name : undefined);
  const query = { filter, everyWorkspace, includeClosed: history || request.asOf !== undefined };
  const now = request.asOf === undefined ? Date.now() : Date.parse(request.asOf);
  const ranking = { question, wanted: contentWords(question), now };
  const rank = async (found: readonly Observation[]) => {
    const texts = found.map(({ data }) => data.text);
    return rankObservations(found, { ...ranking, similarities: await passageSimilarities(compare, question, texts) });
  };
  if (entity !== undefined && "missing" in entity) {
    const named = await observationsNaming(store, entity.missing, { ...query, limit: maxFound });
    return { ...named, items: (await rank(named.items)).items };
  }
  if (ranking.wanted.size === 0)
    return store.query(observation, { ...query, sort: ["-since"], limit: wanted, skipDamaged: true });
  const search = { text: contentOf(question), match: "any", limit: maxFound, skipDamaged: true } as const;
  const page = await store.query(observation, { ...query, ...search });
  const { items, coverage } = await rank(page.items);
  const isWeak = items.length > 0 && coverage < minCoverage;
  return { ...page, items, ...(isWeak && { hint: notKnown }) };
}

/** @param about the stored name of an entity */
function toFilter({ tags: tagged = [], since: from, until: to, asOf: at }: Request, about: string | undefined): Filter {
  const range = { ...(from !== undefined && { gte: from }), ...(to !== undefined && { lt: to }) };
  return {
    and: [
      ...tagged.map((tag) => ({ tags: { contains: tag } })),
      ...(about === undefined ? [] : [{ about: { contains: about } }]),
      ...(Object.keys(range).length === 0 ? [] : [{ since: range }]),
      ...(at === undefined ? [] : [{ since: { lte: at }, or: [{ until: null }, { until: { gt: at } }] }]),
    ],
  };
}

/** Entities whose name or type matches the query. Used if no observation matches. */
async function entitiesOf(store: Store, request: Request): Promise<readonly Item[]> {
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

interface Description extends ItemDescription {
  /** Whether the caller asked for what no longer holds. */
  readonly history: boolean;
}

function describe({ id, data, workspace }: Observation, { wanted, labels, history }: Description): Item {
  const { about, tags: tagged, source, episode, since: from, written, until: to, was } = data;
  // The day says nothing if a current fact holds since it was written, or a past fact ended on the same day.
  const isPlain = from?.slice(0, 10) === (to ?? written)?.slice(0, 10);
  return {
    id,
    text: excerpt(data.text, wanted),
    about,
    tags: tagged,
    source,
    episode,
    ...(from !== undefined && !isPlain && { since: from }),
    until: to,
    ...(history && was !== undefined && { was: cutText(was, 120) }),
    workspace: labels?.get(workspace),
  };
}

function line({ id, kind, text, source, episode, about, ...item }: Item): string {
  const { tags: tagged, since: from, until: to, was, workspace } = item;
  const named = about?.filter((name) => !text.includes(name)) ?? [];
  const details = [
    ...(kind === undefined ? [] : [`${kind} of ${source}`]),
    ...(named.length > 0 ? [`about ${named.map(quoteName).join(", ")}`] : []),
    ...(tagged === undefined || tagged.length === 0 ? [] : [tagged.map((tag) => `#${quoteName(tag)}`).join(" ")]),
    ...(from === undefined ? [] : [`${to === undefined && kind === undefined ? "since " : ""}${from.slice(0, 10)}`]),
    ...(to === undefined ? [] : [`no longer since ${to.slice(0, 10)}`]),
    ...(was === undefined ? [] : [`was: ${visibleText(was)}`]),
    ...(episode === undefined ? [] : [`from episode ${quoteName(episode)}`]),
    ...(workspace === undefined ? [] : [`in ${quoteName(workspace)}`]),
  ];
  return `${id} ${visibleText(text)}${details.length === 0 ? "" : ` (${details.join("; ")})`}`;
}
