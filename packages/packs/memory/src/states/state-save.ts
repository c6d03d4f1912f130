import { defineTool, detail, quoteName, unlisted, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { recordName } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { state } from "./state.ts";
import { stateFields } from "./state-fields.ts";

const input = z.object({
  name: recordName.describe("new"),
  memory: z.string().min(1).max(100_000).meta(detail("what has happened, and what was learned")),
  goal: z.string().min(1).max(10_000).meta(detail("what it is all for")),
  next: z.array(z.string().min(1).max(2_000)).max(100).optional().meta(detail("next steps")),
  files: z.array(z.string().min(1).max(1_000)).max(500).optional().meta(detail("those at hand")),
  session: z.string().min(1).max(200).optional().meta(detail("whose state it is")),
  automatic: z
    .boolean()
    .optional()
    .meta(unlisted("by a hook of the client: a briefing also shows the last state that an agent saved")),
});

export function stateSave({ store }: MemoryContext): Tool {
  return defineTool({
    name: "state_save",
    description: "Save this session's state, to go on from later.",
    keywords: ["snapshot", "checkpoint", "handover", "remember where we are", "pause"],
    examples: [
      { args: { name: "before-migration", memory: "The schema is agreed.", goal: "Move to v2", next: ["dry run"] } },
    ],
    mutates: true,
    effects: { destructive: false, records: true },
    fromIntent: { memory: "memory", goal: "goal", session: "sessionId" },
    input,
    output: stateFields.pick({ name: true, saved: true }),
    text: ({ name }) => `saved: ${quoteName(name)}`,
    handler: async (record) => (await store.put(state, record, { id: record.name })).data,
  });
}
