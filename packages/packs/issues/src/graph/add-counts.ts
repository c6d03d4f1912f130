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

/**
 * Counts the neighbours of open issues that were stored without counts, because lists sort and filter by the stored counts. An index says whether there
 * are any, which takes a fraction of a millisecond.
 */
export async function addCounts({ store, kind }: CountedStore): Promise<void> {
  try {
    while ((await store.query(kind, { ...withoutCounts, fields: [], limit: 1 })).items.length > 0) {
      if ((await store.transaction((inside) => countPart({ store: inside, kind }))) === 0) return;
    }
  } catch (error) {
    // Issues of a store that cannot be written, or has a damaged record, are listed without counts.
    if (!ToolError.is(error)) throw error;
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
