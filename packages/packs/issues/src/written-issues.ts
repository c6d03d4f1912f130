import type { Store, Stored } from "@toolpacks/core";
import { z } from "zod";
import { onlyOnce } from "./fields.ts";
import { issueItem, renderItem, toItem } from "./issue-item.ts";
import type { Issue } from "./issue-record.ts";

/** What a tool that wrote issues answers. */
export const writtenIssues = z.object({ items: z.array(issueItem) });

export function renderWritten({ items }: z.output<typeof writtenIssues>): string {
  return items.map(renderItem).join("\n");
}

/** Writes issues one after the other, all or none. */
export function writeEach(
  store: Store,
  ids: readonly string[],
  write: (inside: Store, id: string) => Promise<Stored<Issue>>,
): Promise<z.input<typeof writtenIssues>> {
  return store.transaction(async (inside) => {
    const items = [];
    for (const id of onlyOnce(ids)) items.push(toItem(await write(inside, id)));
    return { items };
  });
}
