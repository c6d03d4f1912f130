import { pageSize, ToolError, type Store, type Stored } from "@toolpacks/core";
import { z } from "zod";
import type { IssuesContext } from "./context.ts";
import { rejectDuplicates } from "./fields.ts";
import { renderItem, toItem, writtenItem } from "./issue-item.ts";
import type { Issue } from "./issue-record.ts";
import { matching } from "./list-issues.ts";
import { readConditions } from "./where.ts";

/** The output of tools that write issues. */
export const writtenIssues = z.object({ items: z.array(writtenItem) });

/** The output of tools that write issues by their ids or by conditions. */
export const changedIssues = writtenIssues.extend({
  matched: z.int().optional().describe("how many issues matched where"),
  changed: z.int().optional().describe("how many of them were changed"),
});

export function renderWritten({ items, matched, changed }: z.output<typeof changedIssues>): string {
  const lines = items.map(renderItem);
  if (changed === undefined) return lines.join("\n");
  const rest = changed - items.length;
  const head = `changed ${changed} of ${matched} that matched${changed === 0 ? "" : ":"}`;
  return [head, ...lines, ...(rest === 0 ? [] : [`(and ${rest} more, also changed)`])].join("\n");
}

/** The issues of a call: their ids, or the conditions that they match. */
export interface Targets {
  readonly ids?: readonly string[] | undefined;
  readonly where?: Readonly<Record<string, unknown>> | undefined;
}

/** Maximum number of issues that one call changes by conditions. */
const maxMatches = 1_000;

interface Writing {
  /** Returns the issue as it was read, if there is nothing to write. */
  readonly write: (inside: Store, id: string) => Promise<Stored<Issue>>;
  /** How a written issue is shown. Default: as in lists. */
  readonly item?: (stored: Stored<Issue>) => z.output<typeof writtenItem>;
}

/** Writes issues in one transaction, one after the other. Of the issues that match conditions, only those that changed are in the output, of many the first few. */
export async function writeEach(
  context: Pick<IssuesContext, "store" | "kind" | "compaction">,
  targets: Targets,
  { write, item = toItem }: Writing,
): Promise<z.input<typeof changedIssues>> {
  return context.store.transaction(async (inside) => {
    const before = await inside.generation();
    const written: Stored<Issue>[] = [];
    for (const id of await readTargets({ ...context, store: inside }, targets)) written.push(await write(inside, id));
    if (targets.where === undefined) return { items: written.map(item) };
    const changed = written.filter(({ generation }) => generation > before);
    const { size } = pageSize(changed.length, undefined, context.compaction);
    return { items: changed.slice(0, size).map(item), matched: written.length, changed: changed.length };
  });
}

async function readTargets(
  { store, kind }: Pick<IssuesContext, "store" | "kind">,
  { ids, where }: Targets,
): Promise<readonly string[]> {
  if (ids !== undefined && where === undefined) return rejectDuplicates(ids);
  if (where === undefined || ids !== undefined) {
    const problem = ids === undefined ? "required: ids or where" : "give either ids or where, not both";
    throw new ToolError(
      "invalid_input",
      `args: ${problem}`,
      'Such as "where": {"issue_type": "epic", "assignee": "unassigned"}.',
    );
  }
  if (Object.keys(where).length === 0) {
    throw new ToolError(
      "invalid_input",
      "where: expected at least one condition",
      'For all open issues: {"status": "open"}.',
    );
  }
  const query = { ...matching(readConditions(where)), sort: ["graph.age"], fields: [], limit: maxMatches };
  const { items, total } = await store.query(kind, query);
  if (total <= maxMatches) return items.map(({ id }) => id);
  throw new ToolError(
    "too_large",
    `where: ${total} issues match, at most ${maxMatches} can be changed in one call; none was changed`,
    "Narrow it with more conditions.",
  );
}
