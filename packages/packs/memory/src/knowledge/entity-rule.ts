import { ToolError, type Change, type Filter, type Ruling } from "@toolpacks/core";
import { everyRecord } from "@toolpacks/store";
import type { z } from "zod";
import { entityId, type entityRecord } from "./entity-record.ts";
import { observation, observationPageSize, unlinkObservation } from "./observation.ts";
import { relation } from "./relation.ts";

type Entity = z.output<typeof entityRecord.schema>;

/** The rule for every write of an entity. */
export async function entityRule(change: Change<Entity>): Promise<Ruling<Entity> | void> {
  const { operation, id, before, after } = change;
  if (operation === "close" || operation === "delete") return forgetDependents(change);
  const wanted = entityId(after.name);
  if (id !== wanted) {
    throw new ToolError("invalid_input", `id: an entity of this name has the id ${JSON.stringify(wanted)}`);
  }
  // Observations and relations refer to the entity by its first spelling.
  if (before !== undefined) return { record: { ...after, name: before.data.name } };
  return undefined;
}

async function forgetDependents({ operation, after: { name }, store }: Change<Entity>): Promise<void> {
  const includeClosed = operation === "delete";
  const about = everyRecord(store, observation, {
    filter: { about: { contains: name } },
    fields: ["about", "supersedes", "supersededBy"],
    includeClosed,
    pageSize: observationPageSize,
  });
  const dependents = (await Array.fromAsync(about)).filter(({ data }) => data.about?.length === 1);
  const relations = (filter: Filter) =>
    Array.fromAsync(everyRecord(store, relation, { filter, fields: [], includeClosed }));
  const from = await relations({ from: name });
  const to = await relations({ to: name });
  if (operation === "delete") for (const one of dependents) await unlinkObservation(store, one);
  for (const [kind, records] of [
    [observation, dependents],
    [relation, from],
    [relation, to],
  ] as const) {
    for (const { id } of records) {
      if (operation === "delete") await store.delete(kind, id);
      else await store.close(kind, id);
    }
  }
}
