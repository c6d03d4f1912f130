import { isObject } from "@toolpacks/core";

/** Maximum distinct values that are counted. A field with more is not an enumeration. */
const maxDistinct = 4;
const maxCountedCharacters = 20;

/** Counts the values of a field while they are few and short. */
class ValueCounts {
  #counts: Map<string, number> | undefined = new Map();

  add(value: string): void {
    const counts = this.#counts;
    if (counts === undefined) return;
    const count = counts.get(value);
    if (count === undefined && (counts.size >= maxDistinct || value.length > maxCountedCharacters))
      this.#counts = undefined;
    else counts.set(value, (count ?? 0) + 1);
  }

  /** The values with their counts, the frequent ones first. Undefined when they hardly repeat. */
  get repeated(): readonly (readonly [string, number])[] | undefined {
    const all = [...(this.#counts ?? [])];
    const total = all.reduce((sum, [, count]) => sum + count, 0);
    return all.length === 0 || total < 3 * all.length ? undefined : all.sort(([, a], [, b]) => b - a);
  }

  /** The value, if there is only one. */
  get only(): string | undefined {
    const [first, second] = this.#counts ?? [];
    return second === undefined ? first?.[0] : undefined;
  }
}

/** All values at one path of a JSON value. */
export class JsonNode {
  count = 0;
  readonly scalars = new Set<string>();
  readonly values = new ValueCounts();
  objects = 0;
  readonly fields = new Map<string, JsonNode>();
  /** Number of fields of the largest object. */
  maxFields = 0;
  lists = 0;
  items: JsonNode | undefined;
  minItems = Infinity;
  maxItems = 0;
  readonly first: unknown;

  constructor(first: unknown) {
    this.first = first;
  }
}

/** Maximum levels, fields of an object, and paths that are described. */
const maxLevels = 8;
const maxFields = 100;
const maxNodes = 2_000;
const maxScalarCharacters = 24;

/** Gathers what is at each path of values of one kind, such as the rows of a table. */
export class JsonTree {
  root: JsonNode | undefined;
  #nodes = 0;

  add(value: unknown): void {
    this.root ??= new JsonNode(value);
    this.#add(this.root, value, 1);
  }

  #add(node: JsonNode | undefined, one: unknown, level: number): void {
    if (node === undefined || level > maxLevels) return;
    node.count += 1;
    if (Array.isArray(one)) {
      node.lists += 1;
      node.maxItems = Math.max(node.maxItems, one.length);
      node.minItems = Math.min(node.minItems, one.length);
      if (one.length > 0) node.items ??= this.#create(one[0]);
      for (const item of one) this.#add(node.items, item, level + 1);
    } else if (isObject(one)) {
      const entries = Object.entries(one);
      node.objects += 1;
      node.maxFields = Math.max(node.maxFields, entries.length);
      for (const [name, inner] of entries) {
        const field = node.fields.get(name) ?? (node.fields.size < maxFields ? this.#create(inner) : undefined);
        if (field !== undefined) node.fields.set(name, field);
        this.#add(field, inner, level + 1);
      }
    } else {
      node.scalars.add(one === null ? "null" : typeof one);
      node.values.add(JSON.stringify(typeof one === "string" ? one.slice(0, maxScalarCharacters) : one));
    }
  }

  #create(first: unknown): JsonNode | undefined {
    this.#nodes += 1;
    return this.#nodes > maxNodes ? undefined : new JsonNode(first);
  }
}
