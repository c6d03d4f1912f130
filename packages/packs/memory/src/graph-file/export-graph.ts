import type { Kind, Store, Stored } from "@toolpacks/core";
import type { z } from "zod";
import { entity } from "../knowledge/entity.ts";
import { observation } from "../knowledge/observation.ts";
import { relation } from "../knowledge/relation.ts";
import { everyRecord } from "../every-record.ts";
import type { GraphLine } from "./graph-line.ts";

const pageSize = 500;

/** Observations about nothing have no place in the file but with an entity. */
const unattached = { name: "notes", entityType: "notes" };

/**
 * What is known now in a workspace as a file of the official memory server, line by line: entities with their observations, then relations, each
 * as old as it is. History, tags and sources have no place in it. An observation about several entities stands with the first of them that is
 * not forgotten.
 */
export async function* exportGraph(store: Store): AsyncGenerator<string> {
  const notes = await everyRecord(store, observation, { filter: { about: { exists: false } } });
  let unwritten = notes.map(({ data }) => data.text);
  const entities = await everyRecord(store, entity, {});
  const names = new Set(entities.map(({ data }) => data.name));
  for (const { data } of entities) {
    const about = await everyRecord(store, observation, { filter: { about: { contains: data.name } } });
    const observations = about
      .filter((one) => one.data.about?.find((name) => names.has(name)) === data.name)
      .map((one) => one.data.text);
    const isNotes = data.name === unattached.name;
    const all = isNotes ? [...observations, ...unwritten] : observations;
    if (isNotes) unwritten = [];
    yield write({ type: "entity", name: data.name, entityType: data.type ?? "", observations: all });
  }
  if (unwritten.length > 0) yield write({ type: "entity", ...unattached, observations: unwritten });
  for await (const { data } of byAge(store, relation)) {
    yield write({ type: "relation", from: data.from, to: data.to, relationType: data.type });
  }
}

/** The names in the order of that server's own, so that its files come back as they were. */
function write(line: GraphLine): string {
  return JSON.stringify(line);
}

async function* byAge<K extends Kind>(store: Store, kind: K): AsyncGenerator<Stored<z.output<K["schema"]>>> {
  for (let cursor: string | undefined; ;) {
    const page = await store.query(kind, { limit: pageSize, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
