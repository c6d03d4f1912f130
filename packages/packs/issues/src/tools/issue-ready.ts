import { defineTool, detail, listSchema } from "@toolpacks/core";
import { z } from "zod";
import { makeClockCursor, openClockCursor } from "../clock-cursor.ts";
import type { IssuesContext } from "../context.ts";
import { readyItem, toReadyItem } from "../issue-item.ts";
import { listFields, listIssues, renderIssues } from "../list-issues.ts";
import { readyFilter } from "../ready-filter.ts";

const input = z.object({
  in_progress: z.boolean().optional().meta(detail("those that somebody works on too")),
  ...listFields,
});

/** `issue_ready`: lists issues that are ready now. */
export function issueReady(context: IssuesContext) {
  return defineTool({
    name: "issue_ready",
    description: "List issues that nothing blocks, most urgent first.",
    keywords: ["next", "what to do", "unblocked", "available work"],
    examples: [{ say: "what should I do next", args: { limit: 5 } }],
    mutates: false,
    input,
    output: listSchema(readyItem),
    text: renderIssues,
    handler: async ({ in_progress: working = false, cursor: received, ...request }) => {
      const { now, ...at } = openClockCursor(received);
      const filter = readyFilter({ now, state: working ? { in: ["ready", "working"] } : "ready" });
      const page = await listIssues(context, { ...request, ...at }, { filter, item: toReadyItem });
      return page.cursor === undefined ? page : { ...page, cursor: makeClockCursor(now, page.cursor) };
    },
  });
}
