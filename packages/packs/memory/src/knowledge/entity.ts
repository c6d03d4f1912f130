import { defineKind, ToolError, type Store } from "@toolpacks/core";
import type { z } from "zod";
import { entityId, entityDefinition, type entityRecord } from "./entity-record.ts";

type Entity = z.output<typeof entityRecord.schema>;

/**
 * The entity kind: something that observations are about and that relations connect. Its name identifies it. Closing or deleting an entity also
 * closes or deletes its relations and the observations about this entity only.
 */
export const entity: typeof entityRecord = defineKind({
  ...entityDefinition(),
  newId,
  // Loaded at the first change, so that a server starts faster.
  rule: async (change) => (await import("./entity-rule.ts")).entityRule(change),
});

async function newId({ name }: Entity, store: Store): Promise<string> {
  const id = entityId(name);
  if ((await store.get(entity, id)) === undefined) return id;
  throw new ToolError("conflict", `name: there is an entity ${JSON.stringify(name)}`, `Patch it: its id is ${id}.`);
}
