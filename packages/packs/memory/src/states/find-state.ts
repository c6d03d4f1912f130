import { nearest, ToolError, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import { state } from "./state.ts";

const maxNamed = 200;

/** @throws ToolError `not_found`, with similar names or the newest states */
export async function findState(store: Store, name: string): Promise<Stored<z.output<(typeof state)["schema"]>>> {
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
