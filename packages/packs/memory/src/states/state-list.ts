import { defineTool, detail, listSchema, quoteName, renderList, visibleText, type Tool } from "@toolpacks/core";
import { recordList } from "@toolpacks/store";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { cursor, fromIntent, inWorkspace, limit } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { state } from "./state.ts";
import { stateDetails, stateFields } from "./state-fields.ts";

const input = z.object({
  session: z.string().max(200).optional().meta(detail("only its states")),
  archived: z.boolean().optional().meta(detail("archived ones too")),
  limit,
  cursor,
  workspace: inWorkspace,
});

const item = stateFields.omit({ memory: true, next: true, files: true });

export function stateList({ store }: MemoryContext): Tool {
  return defineTool({
    name: "state_list",
    description: "List states, newest first.",
    keywords: ["snapshots", "checkpoints", "sessions", "resume"],
    examples: [{ args: {} }, { args: { session: "review", archived: true, limit: 3 } }],
    mutates: false,
    fromIntent,
    input,
    output: listSchema(item),
    text: (page) => renderList(page, line),
    handler: async ({ session, archived = false, workspace, limit: maxItems, cursor: after }) => {
      const inside = await openWorkspace(store, workspace);
      const page = await inside.query(state, {
        filter: session === undefined ? {} : { session },
        sort: ["-saved"],
        includeClosed: archived,
        compaction: { over: 20, show: 5 },
        skipDamaged: true,
        limit: maxItems,
        cursor: after,
      });
      return recordList(
        page,
        ({ data }) => ({ ...data, goal: cutText(data.goal, 160) }),
        "Name a limit, or a session.",
      );
    },
  });
}

function line(one: z.output<typeof item>): string {
  return `${quoteName(one.name)}: ${visibleText(one.goal)}${stateDetails(one)}`;
}
