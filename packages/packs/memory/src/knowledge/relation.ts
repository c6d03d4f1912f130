import { createHash } from "node:crypto";
import { defineKind, ToolError, type Change, type Kind, type Ruling, type Store } from "@toolpacks/core";
import { z } from "zod";
import { entityId } from "./entity-record.ts";
import { knownEntity } from "./known-entity.ts";

const schema = () =>
  z.object({
    from: z.string().min(1).max(200).describe("an entity's name"),
    type: z.string().min(1).max(200).describe("in active voice: owns, depends on"),
    to: z.string().min(1).max(200).describe("an entity's name"),
  });

type Relation = z.output<ReturnType<typeof schema>>;

/** The relation kind: a directed, typed edge between two entities. Two entities have at most one relation of each type. Cycles are allowed. */
export const relation: Kind<ReturnType<typeof schema>> = defineKind({
  name: "relation",
  description: "How one entity stands to another: Anna owns billing-api.",
  schema,
  indexes: ["from", "to", "type"],
  text: ["type"],
  newId,
  rule,
  keywords: ["edge", "link", "connection", "depends on"],
  examples: [{ from: "Anna Lindqvist", type: "owns", to: "billing-api" }],
});

/** The id of a relation, a digest of its fields. So a relation cannot be stored twice. */
export function relationId({ from, type, to }: Relation): string {
  const parts = [entityId(from), type, entityId(to)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

async function newId(record: Relation, store: Store): Promise<string> {
  const id = relationId(record);
  if ((await store.get(relation, id)) === undefined) return id;
  throw new ToolError("conflict", "from, type, to: this relation is there already", `Its id is ${id}.`);
}

async function rule({ operation, id, after, store }: Change<Relation>): Promise<Ruling<Relation> | void> {
  if (operation !== "put") return undefined;
  const from = await knownEntity(store, after.from, { field: "from" });
  const to = await knownEntity(store, after.to, { field: "to" });
  if (id !== relationId(after)) {
    throw new ToolError("invalid_input", `id: this relation has the id ${relationId(after)}`, "Put it without an id.");
  }
  return { record: { ...after, from, to } };
}
