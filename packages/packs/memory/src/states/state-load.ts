import { defineTool, detail, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { fromIntent, inWorkspace, recordName } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { findState } from "./find-state.ts";
import { stateFields, stateText } from "./state-fields.ts";

/** `state_load`: shows a whole state, archived or not. */
export function stateLoad({ store }: MemoryContext): Tool {
  return defineTool({
    name: "state_load",
    description: "Load a state.",
    keywords: ["resume", "restore", "continue", "snapshot"],
    examples: [{ args: { name: "before-migration" } }],
    mutates: false,
    fromIntent,
    input: z.object({ name: recordName.meta(detail("as it was saved")), workspace: inWorkspace }),
    output: stateFields,
    text: stateText,
    handler: async ({ name, workspace }) => (await findState(await openWorkspace(store, workspace), name)).data,
  });
}
