import { defineTool, detail, listSchema, pageSize, renderList, ToolError } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idField } from "../fields.ts";
import { issueItem, itemFields, renderItem, toItem } from "../issue-item.ts";
import { requireIssue } from "../require-issue.ts";

const input = z.object({
  id: idField,
  limit: z.int().min(0).max(1_000_000).optional().meta(detail("default: few of many")),
  cursor: z.string().max(200).optional().meta(detail("from the page before")),
});

const node = issueItem.extend({ depth: z.int().describe("levels below the root") });
const output = listSchema(node).extend({
  root: issueItem,
  closed: z.int().describe("of all that are under it"),
});

export function issueTree({ store, kind, compaction }: IssuesContext) {
  return defineTool({
    name: "issue_tree",
    description: "Show an epic's children with progress.",
    keywords: ["hierarchy", "subtasks", "breakdown", "progress"],
    examples: [{ args: { id: "bd-a1b2" } }],
    mutates: false,
    input,
    output,
    text: ({ root, closed, ...page }) =>
      [
        `${renderItem(root)} (${closed} of ${page.total} closed)`,
        ...(page.total === 0
          ? []
          : [renderList(page, ({ depth, ...item }) => `${"  ".repeat(depth)}${renderItem(item)}`)]),
      ].join("\n"),
    handler: async ({ id, limit, cursor }) => {
      const root = await requireIssue(store, kind, id);
      const all = await readDescendants({ store, kind }, id);
      const start = cursor === undefined ? 0 : Number(cursor);
      if (!Number.isSafeInteger(start) || start < 0 || start > all.length) {
        throw new ToolError(
          "invalid_input",
          "cursor: expected one that an earlier page gave",
          "Leave it out to begin.",
        );
      }
      const { size, compacted } = pageSize(all.length - start, limit, compaction);
      const end = start + size;
      return {
        root: toItem(root),
        closed: all.filter(({ closed }) => closed).length,
        items: all.slice(start, end).map(({ item }) => item),
        total: all.length,
        cursor: end < all.length ? String(end) : undefined,
        ...(compacted && { compacted, hint: "Show a child's tree, or set limit." }),
      };
    },
  });
}

interface Descendant {
  readonly item: z.output<typeof node>;
  readonly closed: boolean;
}

/** Reads all descendants of an issue: parents before their children, children by age. An issue with two parents is listed under the first. */
async function readDescendants({ store, kind }: Pick<IssuesContext, "store" | "kind">, id: string) {
  const found = new Map<string, Descendant>();
  const readChildren = async (parent: string, depth: number) => {
    const filter = { "graph.parents": { contains: parent } };
    const children = everyRecord(store, kind, { filter, sort: ["graph.age"], fields: itemFields, includeClosed: true });
    for await (const stored of children) {
      if (stored.id === id || found.has(stored.id)) continue;
      found.set(stored.id, { item: { ...toItem(stored), depth }, closed: stored.closed });
      // The stored number of dependents includes the children.
      if (stored.data.graph?.dependents !== 0) await readChildren(stored.id, depth + 1);
    }
  };
  await readChildren(id, 1);
  return [...found.values()];
}
