import type { TrackerMapping } from "./tracker-mapping.ts";

/** GitHub's own MCP server. The setting's `args` name the repository: `owner` and `repo`. */
export const githubMapping: TrackerMapping = {
  refPrefix: "gh-",
  list: {
    tool: "list_issues",
    // The oldest first, so that new issues move no others to another page.
    args: { perPage: 100, orderBy: "CREATED_AT", direction: "ASC" },
    items: "${result.issues}",
    next: "${result.pageInfo.hasNextPage ? {'after': result.pageInfo.endCursor} : {}}",
  },
  get: { tool: "issue_read", args: { method: "get", issue_number: "${int(ref)}" }, item: "${result}" },
  create: {
    tool: "issue_write",
    args: { method: "create" },
    fields: {
      title: { title: "${value}" },
      description: { body: "${value}" },
      labels: { labels: "${value}" },
      assignee: { assignees: "${value == '' ? [] : [value]}" },
    },
    // The result has the address of the issue: https://github.com/owner/repo/issues/12.
    ref: "${result.url.substring(result.url.lastIndexOf('/') + 1)}",
  },
  update: [
    {
      tool: "issue_write",
      args: { method: "update", issue_number: "${int(ref)}" },
      fields: {
        title: { title: "${value}" },
        description: { body: "${value}" },
        status: { state: "${value}" },
        labels: { labels: "${value}" },
        assignee: { assignees: "${value == '' ? [] : [value]}" },
      },
    },
  ],
  item: {
    ref: "${item.number}",
    title: "${item.title}",
    description: "${has(item.body) ? item.body : ''}",
    // One tool writes OPEN and CLOSED, the other open and closed.
    status: "${item.state == 'CLOSED' || item.state == 'closed' ? 'closed' : 'open'}",
    labels: "${has(item.labels) ? item.labels : []}",
    assignee: "${has(item.assignees) && size(item.assignees) > 0 ? item.assignees[0] : ''}",
  },
  fields: ["title", "description", "status", "labels"],
  values: { status: { open: "open", in_progress: "open", blocked: "open", deferred: "open", closed: "closed" } },
};
