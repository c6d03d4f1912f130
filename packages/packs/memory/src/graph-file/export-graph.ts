import { everyRecord } from "@toolpacks/store";
import type { Store } from "@toolpacks/core";
import { entity } from "../knowledge/entity.ts";
import { observation, observationPageSize } from "../knowledge/observation.ts";
import { relation } from "../knowledge/relation.ts";
import type { GraphLine } from "./import-graph.ts";

/** The entity for observations about no entity: the file format has observations only inside entities. */
const notesEntity = { name: "notes", entityType: "notes" };

/**
 * Exports the current knowledge of a workspace as lines of the official memory server's file: entities with their observations, then relations,
 * each oldest first. History, tags and sources are not exported.
 *
 * An observation about several entities goes to the first of them that is not forgotten. An observation about no entity, or only about
 * forgotten ones, goes to the entity `notes`. So the file has everything that recall finds.
 *
 * All entities and all observation texts stay in memory until the end, because an entity's line contains all of its observations. Relations are
 * streamed.
 */
export async function* exportGraph(store: Pick<Store, "query">): AsyncGenerator<string> {
  const entities = await Array.fromAsync(everyRecord(store, entity));
  const texts = new Map(entities.map(({ data }) => [data.name, [] as string[]]));
  let unwritten: string[] = [];
  for await (const { data } of everyRecord(store, observation, { pageSize: observationPageSize })) {
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
