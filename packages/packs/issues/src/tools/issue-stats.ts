import { defineTool, type Filter } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { tombstone } from "../issue-record.ts";
import { readyFilter } from "../ready-filter.ts";
import { unassigned } from "../where.ts";

const output = z.object({
  total: z.int(),
  status: z.record(z.string(), z.int()).describe("how many have each status"),
  ready: z.int(),
  blocked: z.int().describe("by an issue, an ancestor or their status"),
  unassigned: z.int().describe("of those that are not closed"),
});

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
      const status: Record<string, number> = {};
      for await (const one of readOpenStatuses({ store, kind })) status[one] = await count({ status: one });
      for (const one of ["closed", tombstone]) {
        const closed = await count({ status: one }, true);
        if (closed > 0) status[one] = closed;
      }
      return {
        total: await count({}, true),
        status,
        ready: await count(readyFilter({ now: new Date().toISOString() })),
        blocked: await count({ "graph.state": "blocked" }),
        unassigned: await count(unassigned),
      };
    },
  });
}

/** The statuses of issues that are not closed, from an index. Imported issues may have any. */
async function* readOpenStatuses({ store, kind }: Pick<IssuesContext, "store" | "kind">): AsyncGenerator<string> {
  for (let last = ""; ;) {
    const after = { filter: { status: { gt: last } }, sort: ["status"], fields: ["status"] };
    // More than one, because damaged records are skipped.
    const [next] = (await store.query(kind, { ...after, skipDamaged: true, limit: 20 })).items;
    if (next === undefined) return;
    last = next.data.status;
    yield last;
  }
}
