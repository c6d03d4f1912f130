import { ToolError, type Query, type Store } from "@toolpacks/core";
import { ageFrom } from "../issue-rule.ts";
import { createDraft } from "./draft.ts";
import type { IssueKind } from "./stored-issues.ts";
import { updateGraph } from "./update-graph.ts";
import { writeProposals } from "./write-proposals.ts";

interface CountedStore {
  readonly store: Store;
  readonly kind: IssueKind;
}

/** Number of issues in one transaction. Other calls may write between two of them. */
const partSize = 500;

/** Open issues of stores and archives that were written before issues had counts. Closed issues block nothing. */
const withoutCounts: Query = { filter: { "graph.blockedCount": null }, skipDamaged: true };

/** The generation at which each open issue of a store and its workspace had counts. */
const counted = new WeakMap<Store, { readonly workspace: string; readonly generation: number }>();

/**
 * Counts the neighbours of open issues that were stored without counts, because lists sort and filter by the stored counts. An index says whether there
 * are any.
 *
 * @param readAt the generation of a list that was read. Nothing is done if the issues had counts at that generation.
 * @returns whether issues had no counts
 */
export async function addCounts({ store, kind }: CountedStore, readAt?: number): Promise<boolean> {
  const known = counted.get(store);
  if (known !== undefined && known.generation === readAt && known.workspace === store.workspace) return false;
  let hasAdded = false;
  try {
    for (;;) {
      const { items, generation } = await store.query(kind, { ...withoutCounts, fields: [], limit: 1 });
      if (items.length === 0) {
        counted.set(store, { workspace: store.workspace, generation });
        return hasAdded;
      }
      if ((await store.transaction((inside) => countPart({ store: inside, kind }))) === 0) return hasAdded;
      hasAdded = true;
    }
  } catch (error) {
    // Issues of a store that cannot be written, or has a damaged record, are listed without counts.
    if (!ToolError.is(error)) throw error;
    return hasAdded;
  }
}

/** @returns the number of issues that have counts now */
async function countPart({ store, kind }: CountedStore): Promise<number> {
  const { items } = await store.query(kind, { ...withoutCounts, limit: partSize });
  const draft = createDraft(store, kind);
  await updateGraph(
    draft,
    items.map(({ id }) => id),
    { newAge: await ageFrom(store) },
  );
  await writeProposals(store, draft, { kind });
  return items.length;
}
