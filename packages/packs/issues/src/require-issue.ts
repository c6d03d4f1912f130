import { ToolError, type Store, type Stored } from "@toolpacks/core";
import type { IssueKind } from "./graph/draft.ts";
import type { Issue } from "./issue-record.ts";

/** @throws ToolError `not_found` if no issue has this id */
export async function requireIssue(store: Store, kind: IssueKind, id: string): Promise<Stored<Issue>> {
  const issue = await store.get(kind, id);
  if (issue !== undefined) return issue;
  throw new ToolError(
    "not_found",
    `id: there is no issue with the id ${JSON.stringify(id)}`,
    "Find ids with issue_list.",
  );
}
