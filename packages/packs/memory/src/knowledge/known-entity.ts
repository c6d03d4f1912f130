import { nearest, ToolError, type Store } from "@toolpacks/core";
import { entityId } from "./entity-id.ts";
import { entityRecord } from "./entity-record.ts";

const maxExamined = 50;

/**
 * The stored name of an entity, in its first spelling.
 *
 * @throws ToolError `not_found`, with similar names, if the entity does not exist or was forgotten
 */
export async function knownEntity(store: Store, name: string, field: string): Promise<string> {
  const found = await store.get(entityRecord, entityId(name));
  if (found !== undefined && !found.closed) return found.data.name;
  const alike = /[\p{L}\p{N}]/u.test(name)
    ? await store.query(entityRecord, {
        text: name.slice(0, 200),
        match: "any",
        limit: maxExamined,
        fields: ["name"],
        skipDamaged: true,
      })
    : { items: [] };
  const names = alike.items.map(({ data }) => data.name);
  const near = [...new Set([...nearest(name, names), ...names])].slice(0, 3);
  throw new ToolError(
    "not_found",
    `${field}: there is no entity ${JSON.stringify(name)}${found?.closed === true ? " any more: it was forgotten" : ""}`,
    near.length > 0
      ? `Did you mean ${near.map((one) => JSON.stringify(one)).join(", ")}?`
      : "memory_remember makes one.",
  );
}
