import { describeIssues, jsonValue, ToolError, type Store } from "@toolpacks/core";
import { z } from "zod";
import { ensureRecord } from "../ensure-record.ts";
import { entity } from "../knowledge/entity.ts";
import { entityId } from "../knowledge/entity-record.ts";
import { observation, sameObservation } from "../knowledge/observation.ts";
import { relation, relationId } from "../knowledge/relation.ts";

/** A line of the official memory server's file. Unknown fields are accepted, as that server accepts them. */
const graphLine = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("entity"),
    name: z.string().min(1).max(200),
    entityType: z.string().max(200),
    observations: z.array(z.string()),
  }),
  z.object({
    type: z.literal("relation"),
    from: z.string().min(1).max(200),
    to: z.string().min(1).max(200),
    relationType: z.string().min(1).max(200),
  }),
]);

export type GraphLine = z.output<typeof graphLine>;

/** Counts of an import. */
export interface ImportedGraph {
  /** New entities, observations and relations. */
  readonly entities: number;
  readonly observations: number;
  readonly relations: number;
  /** Lines whose entity, observation or relation existed already. */
  readonly known: number;
}

/**
 * Imports a file of the official memory server into a workspace, in one transaction. Existing records stay unchanged, so importing a file twice
 * changes nothing.
 *
 * @param lines one JSON entity or relation per line; empty lines are skipped
 * @throws ToolError `invalid_input` with the line number
 */
export async function importGraph(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportedGraph> {
  return store.transaction(async (inside) => {
    const counts = { entities: 0, observations: 0, relations: 0, known: 0 };
    const relations: RelationLine[] = [];
    let at = 0;
    for await (const text of lines) {
      at += 1;
      if (text.trim() === "") continue;
      const line = parseLine(text, at);
      // A relation may come before its entities in the file.
      if (line.type === "relation") relations.push(line);
      else await importEntity(inside, line, counts);
    }
    for (const line of relations) await importRelation(inside, line, counts);
    return counts;
  });
}

type Counts = { -readonly [Name in keyof ImportedGraph]: number };
type EntityLine = Extract<GraphLine, { type: "entity" }>;
type RelationLine = Extract<GraphLine, { type: "relation" }>;

function parseLine(text: string, at: number): GraphLine {
  const json = jsonValue(text);
  if (json === undefined) throw new ToolError("invalid_input", `line ${at}: expected JSON`);
  const checked = graphLine.safeParse(json);
  if (checked.success) return checked.data;
  throw new ToolError("invalid_input", `line ${at}: ${describeIssues(checked.error.issues, [])}`);
}

async function importEntity(store: Store, line: EntityLine, counts: Counts): Promise<void> {
  const { name, entityType } = line;
  const isNew = await makeEntity(store, name, entityType);
  counts[isNew ? "entities" : "known"] += 1;
  for (const text of line.observations) {
    if (text === "") continue;
    const record = { text, about: [name] };
    const { id, known } = await sameObservation(store, record);
    counts[known === undefined ? "observations" : "known"] += 1;
    if (known === undefined) await store.put(observation, record, { id });
  }
}

/** @returns whether the entity is new or was closed */
async function makeEntity(store: Store, name: string, type?: string): Promise<boolean> {
  const record = { name, ...(type !== undefined && type !== "" && { type }) };
  const before = await ensureRecord(store, entity, { id: entityId(name), record });
  return before === undefined || before.closed;
}

/** Creates missing entities: the official server accepts relations between entities that do not exist. */
async function importRelation(
  store: Store,
  { from, to, relationType: type }: RelationLine,
  counts: Counts,
): Promise<void> {
  for (const end of [from, to]) if (await makeEntity(store, end)) counts.entities += 1;
  const record = { from, type, to };
  const before = await ensureRecord(store, relation, { id: relationId(record), record });
  counts[before === undefined || before.closed ? "relations" : "known"] += 1;
}
