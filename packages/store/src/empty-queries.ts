import { AsyncLocalStorage } from "node:async_hooks";
import type { Interceptor, Kind, Store, Query } from "@toolpacks/core";

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

/** A query over every workspace, a next page and a change feed have nothing elsewhere. A query without fields is a check, not a list. */
function mayBeElsewhere({ allowedWorkspaces: allowed }: Store, query: Query): boolean {
  const { everyWorkspace, cursor, sinceGeneration, fields } = query;
  const isAlone = allowed !== "all" && allowed.length < 2;
  const isList = cursor === undefined && sinceGeneration === undefined && fields?.length !== 0;
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
    const { countElsewhere } = await import("./count-elsewhere.ts");
    // An empty list is a whole answer. It does not fail because the count does.
    const elsewhere = await countElsewhere(empty, options).catch(() => undefined);
    if (elsewhere === undefined) return outcome;
    return { ...outcome, notice: [outcome.notice, elsewhere].filter((line) => line !== undefined).join("\n") };
  };
}
