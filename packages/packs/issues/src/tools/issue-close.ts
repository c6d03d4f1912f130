import { defineTool, detail, everyRecord, type Store } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, rejectDuplicates } from "../fields.ts";
import { issueItem, itemFields, renderItem, toItem } from "../issue-item.ts";
import { dependsOn } from "../issue-record.ts";
import { requireIssue } from "../require-issue.ts";

const input = z.object({
  ids: idsField,
  reason: z.string().max(10_000).optional().meta(detail("what came of it")),
});

const output = z.object({
  items: z.array(issueItem),
  unblocked: z.array(issueItem).describe("nothing blocks these any more"),
});

/** `issue_close`: closes issues, all or none, and lists the issues that this unblocks. */
export function issueClose({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_close",
    description: "Close issues, all or none; says what that unblocks.",
    keywords: ["done", "finish", "finished", "complete", "resolve", "task", "bug", "ticket"],
    examples: [{ args: { ids: ["bd-a1b2"], reason: "fixed in 1.4" } }],
    mutates: true,
    effects: { destructive: false, idempotent: true },
    input,
    output,
    text: ({ items, unblocked }) =>
      [
        ...items.map(renderItem),
        ...(unblocked.length === 0 ? [] : [`unblocked ${unblocked.length}:`, ...unblocked.map(renderItem)]),
      ].join("\n"),
    handler: ({ ids, reason }) =>
      store.transaction(async (inside) => {
        const before = await inside.generation();
        const items = [];
        for (const id of await childrenFirst(rejectDuplicates(ids), inside, kind)) {
          items.push(toItem(await inside.close(kind, id, reason)));
        }
        return { items, unblocked: await writtenReady(inside, kind, before) };
      }),
  });
}

/** Reads the ready issues that this transaction wrote. Closing writes only neighbours whose readiness changes. */
async function writtenReady(store: Store, kind: IssuesContext["kind"], sinceGeneration: number) {
  const written = everyRecord(store, kind, {
    sinceGeneration,
    filter: { "graph.state": { in: ["ready", "working"] } },
    includeClosed: false,
    fields: itemFields,
  });
  return Array.fromAsync(written, toItem);
}

/** Orders children before their parents, so that an epic can be closed together with its last children. */
async function childrenFirst(
  ids: readonly string[],
  store: Store,
  kind: IssuesContext["kind"],
): Promise<readonly string[]> {
  const parents = new Map<string, readonly string[]>();
  for (const id of ids) {
    const issue = await requireIssue(store, kind, id);
    parents.set(id, dependsOn(issue.data, "parent-child"));
  }
  const ordered: string[] = [];
  const visit = (id: string) => {
    if (!parents.has(id) || ordered.includes(id)) return;
    for (const [child, above] of parents) if (above.includes(id)) visit(child);
    ordered.push(id);
  };
  for (const id of ids) visit(id);
  return ordered;
}
