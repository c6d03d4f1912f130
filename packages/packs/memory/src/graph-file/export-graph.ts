import { everyRecord, type Store } from "@toolpacks/core";
import { entity } from "../knowledge/entity.ts";
import { everyObservation } from "../knowledge/every-observation.ts";
import { relation } from "../knowledge/relation.ts";
import type { GraphLine } from "./graph-line.ts";

/** Observations have no place in the file but with an entity. */
const unattached = { name: "notes", entityType: "notes" };

/**
 * What is known now in a workspace as a file of the official memory server, line by line: entities with their observations, then relations, each
 * as old as it is. History, tags and sources have no place in it. An observation about several entities stands with the first of them that is
 * not forgotten; one about nothing, or about nothing that is still known, with the notes: what recall answers is in the file.
 *
 * Held in memory until the last line are all entities and the texts of all observations that are in the file, because an entity's line has all
 * of its observations; relations are written as they are read.
 */
export async function* exportGraph(store: Pick<Store, "query">): AsyncGenerator<string> {
  const entities = await Array.fromAsync(everyRecord(store, entity));
  const texts = new Map(entities.map(({ data }) => [data.name, [] as string[]]));
  let unwritten: string[] = [];
  for await (const { data } of everyObservation(store)) {
    const name = data.about?.find((one) => texts.has(one));
    (name === undefined ? unwritten : (texts.get(name) ?? [])).push(data.text);
  }
  for (const { data } of entities) {
    const observations = texts.get(data.name) ?? [];
    const isNotes = data.name === unattached.name;
    const all = isNotes ? [...observations, ...unwritten] : observations;
    if (isNotes) unwritten = [];
    yield write({ type: "entity", name: data.name, entityType: data.type ?? "", observations: all });
  }
  if (unwritten.length > 0) yield write({ type: "entity", ...unattached, observations: unwritten });
  for await (const { data } of everyRecord(store, relation)) {
    yield write({ type: "relation", from: data.from, to: data.to, relationType: data.type });
  }
}

/** The names in the order of that server's own, so that its files come back as they were. */
function write(line: GraphLine): string {
  return JSON.stringify(line);
}
