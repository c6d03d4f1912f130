import { isObject } from "@toolpacks/core";
import { ValueCounts } from "./value-counts.ts";

/** All values at one path of a JSON value. */
export interface JsonNode {
  count: number;
  readonly scalars: Set<string>;
  readonly values: ValueCounts;
  objects: number;
  readonly fields: Map<string, JsonNode>;
  /** Number of fields of the largest object. */
  maxFields: number;
  lists: number;
  items: JsonNode | undefined;
  minItems: number;
  maxItems: number;
  readonly first: unknown;
}

/** Maximum levels, fields of an object, and paths that are described. */
const maxLevels = 8;
const maxFields = 100;
const maxNodes = 2_000;
const maxScalarCharacters = 24;

/** Gathers what is at each path of a value. */
export function jsonTree(value: unknown): JsonNode {
  let nodes = 0;
  const create = (first: unknown): JsonNode | undefined => {
    nodes += 1;
    return nodes > maxNodes ? undefined : emptyNode(first);
  };
  const add = (node: JsonNode | undefined, one: unknown, level: number): void => {
    if (node === undefined || level > maxLevels) return;
    node.count += 1;
    if (Array.isArray(one)) {
      node.lists += 1;
      node.maxItems = Math.max(node.maxItems, one.length);
      node.minItems = Math.min(node.minItems, one.length);
      if (one.length > 0) node.items ??= create(one[0]);
      for (const item of one) add(node.items, item, level + 1);
    } else if (isObject(one)) {
      const entries = Object.entries(one);
      node.objects += 1;
      node.maxFields = Math.max(node.maxFields, entries.length);
      for (const [name, inner] of entries) {
        const field = node.fields.get(name) ?? (node.fields.size < maxFields ? create(inner) : undefined);
        if (field !== undefined) node.fields.set(name, field);
        add(field, inner, level + 1);
      }
    } else {
      node.scalars.add(one === null ? "null" : typeof one);
      node.values.add(JSON.stringify(typeof one === "string" ? one.slice(0, maxScalarCharacters) : one));
    }
  };
  const root = emptyNode(value);
  add(root, value, 1);
  return root;
}

function emptyNode(first: unknown): JsonNode {
  return {
    count: 0,
    scalars: new Set(),
    values: new ValueCounts(),
    objects: 0,
    fields: new Map(),
    maxFields: 0,
    lists: 0,
    items: undefined,
    minItems: Infinity,
    maxItems: 0,
    first,
  };
}
