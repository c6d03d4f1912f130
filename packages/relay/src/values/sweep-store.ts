import { everyRecord, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import { overdue, unfinishedMs, type Aged, type Limits } from "./limits.ts";
import { partId, partSize, relayPart, relayValue } from "./store-kinds.ts";

interface Found extends Aged {
  readonly workspace: string;
  readonly id: string;
}

/** Removes old values of all workspaces and scopes. Several processes may run it at the same time. */
export async function sweepStore(store: Store, limits: Limits): Promise<void> {
  const found: Found[] = [];
  const unfinished: Found[] = [];
  const query = { sort: ["-at"], everyWorkspace: true, fields: ["size", "at", "finished"], skipDamaged: true };
  for await (const value of everyRecord(store, relayValue, query)) {
    (value.data.finished ? found : unfinished).push(describe(value));
  }
  const abandoned = unfinished.filter(({ at }) => at < Date.now() - unfinishedMs);
  for (const { workspace, id } of [...overdue(found, limits), ...abandoned]) await remove(store.in(workspace), id);
}

function describe({ workspace, id, data }: Stored<z.output<typeof relayValue.schema>>): Found {
  return { workspace, id, size: data.size, at: data.at };
}

/** Removes a value in one transaction, so that no orphaned part is left. */
async function remove(store: Store, id: string): Promise<void> {
  await store.transaction(async (inside) => {
    const known = await inside.get(relayValue, id);
    if (known === undefined) return;
    const { parts, size } = known.data;
    for (let at = 0; at * partSize < size; at += 1) await inside.delete(relayPart, partId(parts, at));
    await inside.delete(relayValue, id);
  });
}
