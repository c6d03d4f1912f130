import type { Store } from "@toolpacks/core";
import { isClosed } from "../issue-record.ts";
import type { Draft } from "./draft.ts";
import type { IssueKind } from "./stored-issues.ts";

/** Writes a draft without the kind's rule: times, status changes and dependencies on missing issues stay unchanged. */
export async function writeProposals(
  store: Store,
  draft: Draft,
  { kind, pace }: { readonly kind: IssueKind; readonly pace?: () => Promise<void> },
): Promise<void> {
  const asProposed: IssueKind = { ...kind, rule: ({ after }) => ({ closed: isClosed(after) }) };
  for (const { id, issue } of draft.proposals()) {
    await pace?.();
    if (issue !== undefined) await store.put(asProposed, issue, { id });
  }
}
