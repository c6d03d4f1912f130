import { defineKind } from "@toolpacks/core";
import type { IssueKind } from "./graph/draft.ts";
import { newIssueId } from "./issue-id.ts";
import { issueSchema } from "./issue-record.ts";

export interface IssueKindOptions {
  /** The prefix of new ids. Default `bd`. */
  readonly prefix?: string;
  /** What gates may wait for, besides what the tracker closes itself. Default: nothing. */
  readonly gates?: readonly string[];
}

/** The kind `issue`. The tracker's rules apply to every write, through issue tools and store tools. */
export function issueKind({ prefix = "bd", gates = [] }: IssueKindOptions = {}): IssueKind {
  const kind: IssueKind = defineKind({
    name: "issue",
    description: "Work to be done, with what it depends on.",
    schema: issueSchema,
    indexes: [
      ["graph.state", "priority"],
      // Ready issues, and those of them that have an assignee, are counted from this index alone.
      ["graph.state", "assignee", "graph.from"],
      "priority",
      ["status", "priority"],
      ["assignee", "priority"],
      "issue_type",
      "external_ref",
      "lease_until",
      "graph.age",
      "graph.updated",
      "graph.closed",
      "graph.blockerCount",
      "graph.blockedCount",
      "graph.on",
      "graph.parents",
      "graph.waits",
      "await_id",
      "labels",
    ],
    text: ["title", "description", "notes", "design", "acceptance_criteria", "close_reason"],
    meaning: ["title", "description"],
    summary: ["title", "status", "priority", "issue_type", "assignee", "labels"],
    close: (_issue, { now, note }) => ({
      status: "closed",
      closed_at: now,
      ...(note !== undefined && { close_reason: note }),
    }),
    // Loaded at the first change, so that a server starts faster.
    rule: async (change) => (await import("./issue-rule.ts")).issueRule({ kind, gates }, change),
    derived: ["graph"],
    newId: (issue, store) => newIssueId({ issue, store, kind, prefix }),
    keywords: ["bug", "task", "ticket", "todo", "backlog", "epic", "feature"],
    examples: [
      {
        title: "Fix the login timeout",
        issue_type: "bug",
        priority: 1,
        dependencies: [{ depends_on_id: "bd-a1b2", type: "blocks" }],
      },
    ],
  });
  return kind;
}
