import type { Store } from "@toolpacks/core";
import type { IssueKind } from "../graph/stored-issues.ts";
import { issueLine } from "./issue-line.ts";

/** Every issue of the store's workspace as a line of beads' JSONL, without line ends, by id. */
export async function* exportIssues({
  store,
  kind,
}: {
  readonly store: Store;
  readonly kind: IssueKind;
}): AsyncGenerator<string> {
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, {
      sort: ["id"],
      includeClosed: true,
      limit: 1_000,
      ...(cursor !== undefined && { cursor }),
    });
    for (const { id, data } of page.items) yield issueLine(id, data);
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
