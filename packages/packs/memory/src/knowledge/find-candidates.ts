import type { Filter, Query, Store } from "@toolpacks/core";
import { contentOf, contentWords, damagedHint, textWords } from "@toolpacks/store";
import { rangeOf } from "../fields.ts";
import { findEntity, type MissingEntity } from "./known-entity.ts";
import { observation, type StoredObservation } from "./observation.ts";
import { defaultLimit, type RecallRequest } from "./recall-request.ts";

/** Maximum number of candidates. */
const maxFound = 80;

/** Observations that may answer a question. */
export interface Candidates {
  readonly items: readonly StoredObservation[];
  /** Number of observations that match, counted up to the maximum number of candidates. */
  readonly total: number;
  /** Number of damaged records that were left out. */
  readonly damaged?: number;
  /** Whether they are in the order to show: without a question, the newest come first. */
  readonly isOrdered?: true;
  /** Says that the entity of the request does not exist. */
  readonly hint?: string;
}

/** Finds the observations with any word of the question, or of a similar meaning. For an entity that does not exist, those that name it. */
export async function findCandidates(store: Store, request: RecallRequest): Promise<Candidates> {
  const { query: question, entity: name, history = false, asOf, workspace, limit = defaultLimit } = request;
  const entity = name === undefined ? undefined : await findEntity(store, name);
  const query = {
    filter: filterOf(request, entity !== undefined && "name" in entity ? entity.name : undefined),
    everyWorkspace: workspace === "*",
    includeClosed: history || asOf !== undefined,
    limit: maxFound,
    countTo: maxFound,
    skipDamaged: true,
  };
  if (entity !== undefined && "missing" in entity) return observationsNaming(store, entity.missing, query);
  if (contentWords(question).size > 0)
    return store.query(observation, {
      ...query,
      text: contentOf(question),
      match: "any",
      near: question,
      minSimilarity: 0,
    });
  return { ...(await store.query(observation, { ...query, sort: ["-since"], limit })), isOrdered: true };
}

/** Finds the observations that contain every word of a name that is no entity's, best first. The hint says how many, or which names are similar. */
export async function observationsNaming(
  store: Store,
  { name, reason, suggestion }: MissingEntity,
  query: Query,
): Promise<Candidates> {
  const hasWords = textWords(name).length > 0;
  const { items, total, damaged } = hasWords
    ? await store.query(observation, { ...query, text: name, match: "all", skipDamaged: true })
    : { items: [], total: 0 };
  const hints =
    total === 0
      ? [`There is ${reason}, and no observation names it.`, ...(suggestion === undefined ? [] : [suggestion])]
      : [`There is ${reason}; ${total === 1 ? "1 observation names" : `${total} observations name`} it.`];
  return { items, total, hint: [hints.join(" "), ...(damaged === undefined ? [] : [damagedHint(damaged)])].join("\n") };
}

/** @param about the stored name of an entity */
function filterOf({ tags = [], since, until, asOf }: RecallRequest, about: string | undefined): Filter {
  return {
    since: rangeOf({ gte: since, lt: until }),
    and: [
      ...tags.map((tag) => ({ tags: { contains: tag } })),
      ...(about === undefined ? [] : [{ about: { contains: about } }]),
      ...(asOf === undefined ? [] : [{ since: { lte: asOf }, or: [{ until: null }, { until: { gt: asOf } }] }]),
    ],
  };
}
