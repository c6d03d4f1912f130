import { AsyncLocalStorage } from "node:async_hooks";
import type { Interceptor, Kind, Query, Store } from "@toolpacks/core";
import { labelWorkspaces } from "./workspace-labels.ts";

/** A query that matched nothing in its workspace. */
export interface EmptyQuery {
  /** The store in the workspace of the query. */
  readonly store: Store;
  /** The id of the workspace that calls use by default. */
  readonly own: string;
  readonly kind: Kind;
  readonly query: Query;
}

const emptyQueries = new AsyncLocalStorage<EmptyQuery[]>();

/** Maximum empty queries that a call keeps. */
const maxQueries = 20;

/** Lets `sayElsewhere` see a query of the running call, unless no other workspace may be opened. */
export function noticeEmptyQuery(empty: EmptyQuery): void {
  const found = emptyQueries.getStore();
  if (found !== undefined && found.length < maxQueries && mayBeElsewhere(empty.store, empty.query)) found.push(empty);
}

/** A query over every workspace, a next page, a change feed and a search for similar records have nothing elsewhere. A query without fields is a check, not a list. */
function mayBeElsewhere({ allowedWorkspaces: allowed }: Store, query: Query): boolean {
  const { everyWorkspace, cursor, sinceGeneration, fields, minSimilarity = 0 } = query;
  const isAlone = allowed !== "all" && allowed.length < 2;
  const isList = cursor === undefined && sinceGeneration === undefined && minSimilarity <= 0 && fields?.length !== 0;
  return !isAlone && isList && everyWorkspace !== true;
}

export interface ElsewhereOptions {
  /** The ids of the workspaces that calls may name. Default: every workspace that the store may open. */
  readonly workspaces?: (() => Promise<readonly string[]>) | undefined;
  /** How a call names another workspace. */
  readonly hint?: string;
}

/**
 * Adds to an empty list how much there is in other workspaces that the caller may open: `none here; 74 in acme`. The list must have a `total`, and its
 * records come from a store that takes part in calls (`WorkspaceAccess.calls`).
 */
export function sayElsewhere(options: ElsewhereOptions = {}): Interceptor {
  return async (call, next) => {
    if (call.tool.mutates) return next(call);
    const empty: EmptyQuery[] = [];
    const outcome = await emptyQueries.run(empty, () => next(call));
    if (!outcome.ok || outcome.value?.["total"] !== 0 || empty.length === 0) return outcome;
    // An empty list is a whole answer. It does not fail because the count does.
    const elsewhere = await countElsewhere(empty, options).catch(() => undefined);
    if (elsewhere === undefined) return outcome;
    return { ...outcome, notice: [outcome.notice, elsewhere].filter((line) => line !== undefined).join("\n") };
  };
}

/** Maximum workspaces that are named. */
const maxNamed = 3;
/** Maximum records that are counted. */
const maxCounted = 200;

/** Says how many records the last of a call's empty queries matches in other workspaces. Undefined if none. */
async function countElsewhere(
  empty: readonly EmptyQuery[],
  { workspaces, hint }: ElsewhereOptions,
): Promise<string | undefined> {
  // Later queries for the first kind are wider. Those for other kinds are another question.
  const last = empty.findLast(({ kind }) => kind === empty[0]?.kind);
  if (last === undefined) return undefined;
  const { store, own, kind, query } = last;
  const { filter, text, match, near, includeClosed, caller } = query;
  const wanted: Query = { filter, text, match, near, includeClosed, caller, fields: [], skipDamaged: true };
  const page = await store.query(kind, { ...wanted, everyWorkspace: true, limit: maxCounted });
  const found = Map.groupBy(page.items, ({ workspace }) => workspace);
  found.delete(store.workspace);
  if (found.size === 0) return undefined;
  const known = workspaces && new Set([own, ...(await workspaces())]);
  const labels = labelWorkspaces(store, known ?? new Set([store.workspace, ...(await store.workspaces())]));
  const named = [...found].filter(([id]) => labels.has(id)).toSorted(([, one], [, other]) => other.length - one.length);
  if (named.length === 0) return undefined;
  const atLeast = page.cursor === undefined ? "" : " or more";
  const shown = named
    .slice(0, maxNamed)
    .map(([id, { length }]) => `${length}${atLeast} in ${labels.get(id)}${id === own ? " (this project)" : ""}`);
  const more = named.length > maxNamed ? [`more in ${named.length - maxNamed} other workspaces`] : [];
  return `none here; ${[...shown, ...more].join(", ")}${hint === undefined ? "" : ` (${hint})`}`;
}
