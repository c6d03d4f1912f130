import { everyRecord } from "@toolpacks/store";
import type { Store } from "@toolpacks/core";
import { entity } from "../knowledge/entity.ts";
import { everyObservation } from "../knowledge/every-observation.ts";
import { relation } from "../knowledge/relation.ts";
import type { GraphLine } from "./graph-line.ts";

/** The entity for observations about no entity: the file format has observations only inside entities. */
const notesEntity = { name: "notes", entityType: "notes" };

/** See `exportGraph`. */
export async function* graphLines(store: Pick<Store, "query">): AsyncGenerator<string> {
  const entities = await Array.fromAsync(everyRecord(store, entity));
  const texts = new Map(entities.map(({ data }) => [data.name, [] as string[]]));
  let unwritten: string[] = [];
  for await (const { data } of everyObservation(store)) {
    const name = data.about?.find((one) => texts.has(one));
    (name === undefined ? unwritten : (texts.get(name) ?? [])).push(data.text);
  }
  for (const { data } of entities) {
    const observations = texts.get(data.name) ?? [];
    const isNotes = data.name === notesEntity.name;
    const all = isNotes ? [...observations, ...unwritten] : observations;
    if (isNotes) unwritten = [];
    yield write({ type: "entity", name: data.name, entityType: data.type ?? "", observations: all });
  }
  if (unwritten.length > 0) yield write({ type: "entity", ...notesEntity, observations: unwritten });
  for await (const { data } of everyRecord(store, relation)) {
    yield write({ type: "relation", from: data.from, to: data.to, relationType: data.type });
  }
}

/** Keys keep the official server's order, so that an imported file is exported unchanged. */
function write(line: GraphLine): string {
  return JSON.stringify(line);
}
