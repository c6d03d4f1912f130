import { randomUUID } from "node:crypto";
import { defineKind, ToolError, type Store } from "@toolpacks/core";
import { z } from "zod";

/** A synchronization that is running. Its record stays when its process is killed. */
export const runKind = defineKind({
  name: "issue_sync_run",
  description: "A synchronization with another tracker that is running.",
  schema: () => z.object({ holder: z.string().max(40), until: z.string().max(40).describe("ISO 8601") }),
  sealed: true,
});

/** A run that was not renewed for this long was killed, in ms. */
const holdMs = 60_000;

/**
 * Runs work while no other process does the same: a second one would create the same issues.
 *
 * @throws ToolError `conflict` while another run holds the id
 */
export async function oneRun<T>(
  store: Store,
  id: string,
  work: (renew: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  const renew = () =>
    store.transaction(async (inside) => {
      const found = await inside.get(runKind, id);
      if (found !== undefined && found.data.holder !== holder && Date.parse(found.data.until) > Date.now()) {
        throw new ToolError("conflict", `${id} is synchronized by another call`, "Try again when it has ended.");
      }
      await inside.put(runKind, { holder, until: new Date(Date.now() + holdMs).toISOString() }, { id });
    });
  await renew();
  try {
    return await work(renew);
  } finally {
    // If this fails, the run expires.
    await store.delete(runKind, id).catch(() => {});
  }
}
