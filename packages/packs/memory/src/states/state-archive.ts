import { defineTool, detail, quoteName, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { recordName } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { state } from "./state.ts";
import { findState } from "./state-load.ts";

const input = z.object({
  name: recordName.meta(detail("as it was saved")),
  note: z.string().max(10_000).optional().meta(detail("why")),
});

/** `state_archive`: removes a state from the list. Its name cannot be used again. */
export function stateArchive({ store }: MemoryContext): Tool {
  return defineTool({
    name: "state_archive",
    description: "Archive a state.",
    keywords: ["close", "done", "delete snapshot", "hide"],
    examples: [{ args: { name: "before-migration", note: "migrated" } }],
    mutates: true,
    effects: { destructive: false, idempotent: true, records: true },
    input,
    output: z.object({ name: z.string() }),
    text: ({ name }) => `archived: ${quoteName(name)}`,
    handler: async ({ name, note }) => {
      const { id } = await findState(store, name);
      return { name: (await store.close(state, id, note)).data.name };
    },
  });
}
