import { defineTool, detail, nearest, ToolError, type Store, type Stored, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { fromIntent, inWorkspace, recordName } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { openWorkspace } from "../workspaces/open-workspace.ts";
import { state, type State } from "./state.ts";
import { stateFields, stateText } from "./state-fields.ts";

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

const maxNamed = 200;

/** @throws ToolError `not_found`, with similar names or the newest states */
export async function findState(store: Store, name: string): Promise<Stored<State>> {
  const found = await store.get(state, name);
  if (found !== undefined) return found;
  const newest = await store.query(state, {
    sort: ["-saved"],
    limit: maxNamed,
    includeClosed: true,
    fields: ["name"],
  });
  const names = newest.items.map(({ data }) => data.name);
  const near = nearest(name, names);
  const shown = (near.length > 0 ? near : names.slice(0, 5)).join(", ");
  throw new ToolError(
    "not_found",
    `name: there is no state ${JSON.stringify(name)} in the workspace ${store.workspaceName(store.workspace)}`,
    names.length === 0 ? "None was saved here." : `${near.length > 0 ? "Nearest" : "The newest"}: ${shown}.`,
  );
}
