import { everyRecord } from "@toolpacks/store";
import type { Store } from "@toolpacks/core";
import type { IssueKind } from "../graph/draft.ts";
import { issueLine } from "./issue-line.ts";

/** Yields every issue of the store's workspace as a line of beads' JSONL, sorted by id, without line ends. */
export async function* exportIssues({
  store,
  kind,
}: {
  readonly store: Store;
  readonly kind: IssueKind;
}): AsyncGenerator<string> {
  for await (const { id, data } of everyRecord(store, kind, { sort: ["id"], includeClosed: true })) {
    yield issueLine(id, data);
  }
}
