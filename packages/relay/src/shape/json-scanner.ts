import { ValueCounts } from "./value-counts.ts";

/** All values at one path of a JSON text. */
export interface JsonNode {
  count: number;
  readonly scalars: Set<"string" | "number" | "boolean" | "null">;
  readonly values: ValueCounts;
  objects: number;
  readonly fields: Map<string, JsonNode>;
  /** Number of fields of the largest object. */
  maxFields: number;
  lists: number;
  items: JsonNode | undefined;
  minItems: number;
  maxItems: number;
  /** Place of the first value in the text. */
  readonly start: number;
  end: number;
}

/** Maximum levels, fields of an object, and paths that are remembered. The rest is only checked for its end. */
const maxLevels = 8;
const maxFields = 100;
const maxNodes = 2_000;
const maxNameCharacters = 60;
const maxScalarCharacters = 24;

export interface ScannedJson {
  readonly root: JsonNode;
  /** Whether the text is several values, one after another. They are the items of the root. */
  readonly isLines: boolean;
}

/** Reads JSON, or several JSON values one after another, without keeping it. Undefined for another text. */
export function scanJson(text: string): ScannedJson | undefined {
  return new JsonScanner(text).scan();
}

const escapedQuote = 0x5c;
const scalarPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]|$)/y;

class InvalidJson extends Error {}

class JsonScanner {
  readonly #text: string;
  #at = 0;
  #nodes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): ScannedJson | undefined {
    try {
      const lines = this.#node();
      this.#list(lines);
      while (this.#skipSpace() !== undefined) this.#value((lines.items ??= this.#node()), 1);
      const { items } = lines;
      if (items === undefined) return undefined;
      lines.minItems = lines.maxItems = items.count;
      return items.count > 1 ? { root: lines, isLines: true } : { root: items, isLines: false };
    } catch (error) {
      if (error instanceof InvalidJson) return undefined;
      throw error;
    }
  }

  #node(): JsonNode {
    this.#nodes += 1;
    return {
      count: 0,
      scalars: new Set(),
      values: new ValueCounts(),
      objects: 0,
      fields: new Map(),
      maxFields: 0,
      lists: 0,
      items: undefined,
      minItems: 0,
      maxItems: 0,
      start: this.#at,
      end: 0,
    };
  }

  #list(node: JsonNode): void {
    node.count += 1;
    node.lists += 1;
  }

  /** Reads a value into a node. Without a node its content is skipped. */
  #value(node: JsonNode | undefined, level: number): void {
    const first = this.#skipSpace();
    if (first === "{" || first === "[") {
      if (node === undefined || level > maxLevels) this.#skipNested();
      else if (first === "{") this.#object(node, level);
      else this.#array(node, level);
    } else if (first === '"') {
      const start = this.#at;
      this.#string();
      if (node !== undefined) this.#scalar(node, "string", start);
    } else {
      this.#literal(node);
    }
    if (node !== undefined) {
      if (first !== "{" && first !== "[") node.count += 1;
      if (node.count === 1) node.end = this.#at;
    }
  }

  #object(node: JsonNode, level: number): void {
    node.count += 1;
    node.objects += 1;
    this.#at += 1;
    let fields = 0;
    for (let next = this.#skipSpace(); next !== "}"; next = this.#afterItem("}")) {
      if (next !== '"') throw new InvalidJson();
      const name = this.#name();
      if (this.#skipSpace() !== ":") throw new InvalidJson();
      this.#at += 1;
      this.#skipSpace();
      fields += 1;
      let field = node.fields.get(name);
      if (field === undefined && node.fields.size < maxFields && this.#nodes < maxNodes) {
        field = this.#node();
        node.fields.set(name, field);
      }
      this.#value(field, level + 1);
    }
    this.#at += 1;
    node.maxFields = Math.max(node.maxFields, fields);
  }

  #array(node: JsonNode, level: number): void {
    this.#list(node);
    this.#at += 1;
    let items = 0;
    for (let next = this.#skipSpace(); next !== "]"; next = this.#afterItem("]")) {
      if (next === undefined) throw new InvalidJson();
      if (node.items === undefined && this.#nodes < maxNodes) node.items = this.#node();
      this.#value(node.items, level + 1);
      items += 1;
    }
    this.#at += 1;
    node.maxItems = Math.max(node.maxItems, items);
    node.minItems = node.lists === 1 ? items : Math.min(node.minItems, items);
  }

  /** Moves past a comma. Returns the character of the next item, or the end. */
  #afterItem(end: string): string | undefined {
    const next = this.#skipSpace();
    if (next === end) return next;
    if (next !== ",") throw new InvalidJson();
    this.#at += 1;
    const after = this.#skipSpace();
    if (after === end) throw new InvalidJson();
    return after;
  }

  #literal(node: JsonNode | undefined): void {
    scalarPattern.lastIndex = this.#at;
    const start = this.#at;
    const found = scalarPattern.exec(this.#text);
    if (found === null) throw new InvalidJson();
    this.#at += found[0].length;
    if (node === undefined) return;
    const [word] = found;
    this.#scalar(node, word === "null" ? "null" : word === "true" || word === "false" ? "boolean" : "number", start);
  }

  #scalar(node: JsonNode, kind: "string" | "number" | "boolean" | "null", start: number): void {
    node.scalars.add(kind);
    node.values.add(this.#text.slice(start, Math.min(this.#at, start + maxScalarCharacters + 1)));
  }

  /** Moves past a string. */
  #string(): void {
    for (let from = this.#at + 1; ;) {
      const end = this.#text.indexOf('"', from);
      if (end < 0) throw new InvalidJson();
      let slashes = 0;
      while (this.#text.charCodeAt(end - 1 - slashes) === escapedQuote) slashes += 1;
      if (slashes % 2 === 0) {
        this.#at = end + 1;
        return;
      }
      from = end + 1;
    }
  }

  #name(): string {
    const start = this.#at;
    this.#string();
    const raw = this.#text.slice(start + 1, Math.min(this.#at - 1, start + 1 + maxNameCharacters));
    if (!raw.includes("\\")) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return raw;
    }
  }

  /** Moves past an object or list, however deep. */
  #skipNested(): void {
    let depth = 0;
    const next = /["{}[\]]/g;
    do {
      next.lastIndex = this.#at;
      const found = next.exec(this.#text);
      if (found === null) throw new InvalidJson();
      this.#at = found.index;
      if (found[0] === '"') this.#string();
      else {
        depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
        this.#at += 1;
      }
    } while (depth > 0);
  }

  /** Moves to the next character that is not a space, and returns it. */
  #skipSpace(): string | undefined {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return this.#text[this.#at];
      this.#at += 1;
    }
  }
}
