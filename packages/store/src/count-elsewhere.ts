import type { ElsewhereOptions, EmptyQuery } from "./empty-queries.ts";
import type { Query } from "@toolpacks/core";
import { labelWorkspaces } from "./workspace-labels.ts";

/** Maximum workspaces that are named. */
const maxNamed = 3;
/** Records that are read to find the workspaces. If more match, those of the named workspaces are counted. */
const maxRead = 200;

interface Count {
  readonly id: string;
  readonly total: number;
  readonly atLeast: boolean;
}

/** Says how many records the last of a call's empty queries matches in other workspaces. Undefined if none. */
export async function countElsewhere(
  empty: readonly EmptyQuery[],
  { workspaces, hint }: ElsewhereOptions,
): Promise<string | undefined> {
  // Later queries for the first kind are wider. Those for other kinds are another question.
  const last = empty.findLast(({ kind }) => kind === empty[0]?.kind);
  if (last === undefined) return undefined;
  const { store, own } = last;
  const counts = await countsOf(last);
  if (counts.length === 0) return undefined;
  const known = workspaces && new Set([own, ...(await workspaces())]);
  const ids = known ?? new Set([store.workspace, ...(await store.workspaces())]);
  const labels = labelWorkspaces(store, ids);
  const named = counts.filter(({ id }) => labels.has(id));
  if (named.length === 0) return undefined;
  const shown = named.slice(0, maxNamed).map(({ id, total, atLeast }) => {
    const label = `${labels.get(id)}${id === own ? " (this project)" : ""}`;
    return `${total}${atLeast ? " or more" : ""} in ${label}`;
  });
  const more = named.length > maxNamed ? [`more in ${named.length - maxNamed} other workspaces`] : [];
  return `none here; ${[...shown, ...more].join(", ")}${hint === undefined ? "" : ` (${hint})`}`;
}

/** Matches in other workspaces, the most first. */
async function countsOf({ store, kind, query }: EmptyQuery): Promise<readonly Count[]> {
  const { filter, text, match, includeClosed, caller } = query;
  const wanted: Query = {
    filter,
    text,
    ...(match && { match }),
    includeClosed,
    caller,
    fields: [],
    skipDamaged: true,
  };
  const page = await store.query(kind, { ...wanted, everyWorkspace: true, limit: maxRead });
  const found = new Map<string, number>();
  for (const { workspace } of page.items) found.set(workspace, (found.get(workspace) ?? 0) + 1);
  const counts = [...found]
    .filter(([id]) => id !== store.workspace)
    .map(([id, total]) => ({ id, total, atLeast: page.cursor !== undefined }))
    .toSorted((one, other) => other.total - one.total);
  if (page.cursor === undefined) return counts;
  const counted = counts.slice(0, maxNamed).map(async ({ id }) => {
    const { total, atLeast = false } = await store.in(id).query(kind, { ...wanted, limit: 1 });
    return { id, total, atLeast };
  });
  return [...(await Promise.all(counted)), ...counts.slice(maxNamed)];
}
