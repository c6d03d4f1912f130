import { defineTool, detail, type Store } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import { z } from "zod";
import type { IssuesContext } from "../context.ts";
import { idsField, rejectDuplicates } from "../fields.ts";
import { issueItem, itemFields, renderItem, toItem, type IssueItem } from "../issue-item.ts";
import { dependsOn, type Issue } from "../issue-record.ts";
import { requireIssue } from "../require-issue.ts";

const input = z.object({
  ids: idsField,
  reason: z.string().max(10_000).optional().meta(detail("what came of it")),
});

const output = z.object({
  items: z.array(issueItem),
  unblocked: z.array(issueItem).describe("nothing blocks these any more"),
});

export function issueClose({ store, kind }: IssuesContext) {
  return defineTool({
    name: "issue_close",
    description: "Close issues, all or none; says what that unblocks.",
    keywords: ["close", "done", "finish", "finished", "complete", "resolve", "task", "bug", "ticket"],
    examples: [{ args: { ids: ["bd-a1b2"], reason: "fixed in 1.4" } }],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input,
    output,
    text: ({ items, unblocked }) =>
      [
        ...items.map(renderItem),
        ...(unblocked.length === 0 ? [] : [`unblocked ${unblocked.length}:`, ...unblocked.map(renderItem)]),
      ].join("\n"),
    handler: ({ ids, reason }) =>
      store.transaction(async (inside) => {
        const issues = await readIssues(rejectDuplicates(ids), inside, kind);
        const known = await readyBlockers([...issues.values()], inside, kind);
        const before = await inside.generation();
        const closed = new Map<string, IssueItem>();
        for (const id of childrenFirst(issues)) closed.set(id, toItem(await inside.close(kind, id, reason)));
        const ready = await writtenReady(inside, kind, before);
        return { items: [...closed.values()], unblocked: ready.filter(({ id }) => !known.has(id)) };
      }),
  });
}

type Issues = ReadonlyMap<string, Issue>;

async function readIssues(ids: readonly string[], store: Store, kind: IssuesContext["kind"]): Promise<Issues> {
  const issues = new Map<string, Issue>();
  for (const id of ids) issues.set(id, (await requireIssue(store, kind, id)).data);
  return issues;
}

const maxBatch = 1_000;

const readyStates = { in: ["ready", "working"] };

/** Reads which issues that block these are ready already. Closing writes them, because they block fewer issues then. */
async function readyBlockers(
  issues: readonly Issue[],
  store: Store,
  kind: IssuesContext["kind"],
): Promise<ReadonlySet<string>> {
  const blockers = [...new Set(issues.flatMap(({ graph }) => graph?.blockers ?? []))];
  const ready = new Set<string>();
  for (let at = 0; at < blockers.length; at += maxBatch) {
    const filter = { id: { in: blockers.slice(at, at + maxBatch) }, "graph.state": readyStates };
    for await (const { id } of everyRecord(store, kind, { filter, fields: [] })) ready.add(id);
  }
  return ready;
}

/** Reads the ready issues that this transaction wrote. Closing writes only neighbours that change. */
async function writtenReady(store: Store, kind: IssuesContext["kind"], sinceGeneration: number) {
  const written = everyRecord(store, kind, {
    sinceGeneration,
    filter: { "graph.state": readyStates },
    includeClosed: false,
    fields: itemFields,
  });
  return Array.fromAsync(written, toItem);
}

/** Orders children before their parents, so that an epic can be closed together with its last children. */
function childrenFirst(issues: Issues): readonly string[] {
  const ordered: string[] = [];
  const visit = (id: string) => {
    if (!issues.has(id) || ordered.includes(id)) return;
    for (const [child, issue] of issues) if (dependsOn(issue, "parent-child").includes(id)) visit(child);
    ordered.push(id);
  };
  for (const id of issues.keys()) visit(id);
  return ordered;
}
