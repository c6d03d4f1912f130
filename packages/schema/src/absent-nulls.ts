import { isObject } from "./is-object.ts";
import type { JsonSchema } from "./json-schema.ts";
import { branchesOf, childSchemas, listOf, typesOf } from "./schema-walk.ts";

/** Maximum number of steps: one per schema, field and required name that is looked at. Beyond it, values are returned unchanged. */
const maxSteps = 500_000;
const maxDepth = 100;

/**
 * Removes each optional field that holds null where its schema does not allow null. Models in strict mode send null for every optional field.
 * Fields that the schema does not name are kept.
 *
 * @param schema called only if the value holds a null
 * @returns the same value if nothing is removed
 */
export function withoutAbsentNulls(value: unknown, schema: () => JsonSchema): unknown {
  if (!holdsNull(value)) return value;
  const root = schema();
  let steps = 0;
  const branches = (schemas: readonly unknown[], of?: unknown) => {
    const found = steps < maxSteps ? branchesOf(root, schemas, of) : [];
    const fields = isObject(of) ? Object.keys(of).length : 0;
    steps += found.length * (1 + fields) + schemas.length;
    return found;
  };
  const clean = (whole: unknown, schemas: readonly unknown[], depth: number): unknown => {
    if (whole === null || typeof whole !== "object" || depth > maxDepth || steps > maxSteps) return whole;
    const nodes = branches(schemas, whole);
    if (Array.isArray(whole)) {
      const items = whole.map((item, at) => clean(item, childSchemas(nodes, String(at)), depth + 1));
      return items.every((item, at) => item === whole[at]) ? whole : items;
    }
    const required = new Set(nodes.flatMap((node) => listOf(node["required"])));
    steps += required.size;
    const entries = Object.entries(whole);
    const kept = entries.flatMap(([name, field]): [string, unknown][] => {
      const ofField = childSchemas(nodes, name);
      if (field !== null) return [[name, clean(field, ofField, depth + 1)]];
      const types = required.has(name) || !isNamed(nodes, name) ? [] : branches(ofField).flatMap(typesOf);
      return types.length === 0 || types.includes("null") ? [[name, null]] : [];
    });
    const isSame = kept.length === entries.length && kept.every(([, field], at) => field === entries[at]?.[1]);
    return isSame ? whole : Object.fromEntries(kept);
  };
  return clean(value, [root], 0);
}

function isNamed(nodes: readonly JsonSchema[], name: string): boolean {
  return nodes.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name));
}

function holdsNull(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (next === null) return true;
    if (typeof next === "object" && next !== undefined) for (const child of Object.values(next)) open.push(child);
  }
  return false;
}
