import { z } from "zod";
import { issueItem, renderItem } from "./issue-item.ts";

/** What a tool that wrote issues answers. */
export const writtenIssues = z.object({ items: z.array(issueItem) });

export function renderWritten({ items }: z.output<typeof writtenIssues>): string {
  return items.map(renderItem).join("\n");
}
