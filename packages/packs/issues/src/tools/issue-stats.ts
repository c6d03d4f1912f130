import { defineTool, type Filter } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { statuses, tombstone } from "../issue-record.ts";
import { readyFilter } from "../ready-filter.ts";
import { unassigned } from "../where.ts";

const output = z.object({
  total: z.int(),
  status: z.record(z.string(), z.int()).describe("how many have each status; other: any other"),
  ready: z.int(),
  blocked: z.int().describe("by an issue, an ancestor or their status"),
  unassigned: z.int().describe("of those that are not closed"),
});

/** `issue_stats`: counts issues by status and readiness. */
export function issueStats({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_stats",
    description: "Count issues.",
    keywords: ["statistics", "progress", "overview", "how many", "summary"],
    examples: [{ args: {} }],
    mutates: false,
    input: z.object({}),
    output,
    text: ({ status, ...counts }) =>
      [counts, status]
        .map((some) =>
          Object.entries(some)
            .map(([name, count]) => `${name} ${count}`)
            .join(", "),
        )
        .join("; by status: "),
    handler: async () => {
      const count = async (filter: Filter, includeClosed = false) =>
        (await store.query(kind, { filter, includeClosed, limit: 0 })).total;
      const named = [...statuses, tombstone];
      const counts = await Promise.all(named.map((status) => count({ status }, true)));
      const total = await count({}, true);
      const other = total - counts.reduce((sum, one) => sum + one, 0);
      const status = Object.fromEntries(named.map((name, at) => [name, counts[at] ?? 0]));
      return {
        total,
        status: { ...status, other },
        ready: await count(readyFilter({ now: new Date().toISOString() })),
        blocked: await count({ "graph.state": "blocked" }),
        unassigned: await count(unassigned),
      };
    },
  });
}
