import type { Store, Stored } from "@toolpacks/core";
import { z } from "zod";
import { rejectDuplicates } from "./fields.ts";
import { issueItem, renderItem, toItem } from "./issue-item.ts";
import type { Issue } from "./issue-record.ts";

/** The output of tools that write issues. */
export const writtenIssues = z.object({ items: z.array(issueItem) });

export function renderWritten({ items }: z.output<typeof writtenIssues>): string {
  return items.map(renderItem).join("\n");
}

/** Writes issues in one transaction, one after the other. */
export function writeEach(
  store: Store,
  ids: readonly string[],
  write: (inside: Store, id: string) => Promise<Stored<Issue>>,
): Promise<z.input<typeof writtenIssues>> {
  return store.transaction(async (inside) => {
    const items = [];
    for (const id of rejectDuplicates(ids)) items.push(toItem(await write(inside, id)));
    return { items };
  });
}
