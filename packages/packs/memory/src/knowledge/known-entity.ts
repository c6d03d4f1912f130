import { nearest, ToolError, visibleJson, type Query, type Store } from "@toolpacks/core";
import { entityId, entityRecord } from "./entity-record.ts";

const maxExamined = 50;
/** Maximum number of entities whose names are compared if no entity has a word of the name. */
const maxNewest = 500;
const maxNames = 3;

/** An entity that does not exist, or was forgotten. */
export interface MissingEntity {
  readonly name: string;
  /** `no entity "Anna"`, with the reason if it was forgotten. */
  readonly reason: string;
  /** The question for similar names; undefined if there are none. */
  readonly suggestion: string | undefined;
}

/** The stored name of an entity, in its first spelling, or why there is none. */
export async function findEntity(
  store: Store,
  name: string,
): Promise<{ readonly name: string } | { readonly missing: MissingEntity }> {
  const found = await store.get(entityRecord, entityId(name));
  if (found !== undefined && !found.closed) return { name: found.data.name };
  const similar = await similarNames(store, name);
  return {
    missing: {
      name,
      reason: `no entity ${visibleJson(name)}${found?.closed === true ? " any more: it was forgotten" : ""}`,
      suggestion: similar.length > 0 ? `Did you mean ${similar.map((one) => visibleJson(one)).join(", ")}?` : undefined,
    },
  };
}

/**
 * The stored name of an entity, in its first spelling.
 *
 * @param hint what to do if no name is similar
 * @throws ToolError `not_found`, with similar names, if the entity does not exist or was forgotten
 */
export async function knownEntity(
  store: Store,
  name: string,
  { field, hint = "memory_remember makes one." }: { readonly field: string; readonly hint?: string },
): Promise<string> {
  const found = await findEntity(store, name);
  if ("name" in found) return found.name;
  const { reason, suggestion } = found.missing;
  throw new ToolError("not_found", `${field}: there is ${reason}`, suggestion ?? hint);
}

/** Names with a word of this name. If there are none, the newest names are compared, because a misspelt word is in none. */
async function similarNames(store: Store, name: string): Promise<readonly string[]> {
  if (!/[\p{L}\p{N}]/u.test(name)) return [];
  const namesOf = async (which: Query) =>
    (await store.query(entityRecord, { ...which, fields: ["name"], skipDamaged: true })).items.map(
      ({ data }) => data.name,
    );
  const shared = await namesOf({ text: name.slice(0, 200), match: "any", limit: maxExamined });
  if (shared.length > 0) return [...new Set([...nearest(name, shared), ...shared])].slice(0, maxNames);
  return nearest(name, await namesOf({ sort: ["-generation"], limit: maxNewest }), maxNames);
}
