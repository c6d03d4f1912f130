import type { CatalogEntry, JsonSchema, ToolUse } from "@toolpacks/core";
import { asObject } from "../signature.ts";

/** The searched fields of a tool. */
export interface Searchable {
  readonly name: string;
  /** The pack or server of the tool. */
  readonly pack?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly description: string;
  /** The tool's input as JSON Schema. */
  readonly inputSchema?: JsonSchema | undefined;
  /** Factor of its scores. Default 1. */
  readonly weight?: number | undefined;
}

/** The fields of the index. `lead` is the first sentence of a description, `description` the rest. */
export const fields = ["name", "pack", "keywords", "parameters", "lead", "description", "details"] as const;

export type Field = (typeof fields)[number];

/** Maximum characters of a description that are indexed. Indexing a thousand tools blocks the event loop. */
const maxDescriptionCharacters = 4_000;

/** The searched fields of a mounted tool. */
export function searchable({ tool, facet }: CatalogEntry): Searchable {
  const { name, keywords, description, input } = tool;
  return {
    name,
    pack: facet,
    keywords,
    description: description.slice(0, maxDescriptionCharacters),
    inputSchema: input.json(),
  };
}

/** The searched fields of one use of a tool, under the name of what it is for. */
export function searchableUse(use: ToolUse, { pack, weight }: Pick<Searchable, "pack" | "weight">): Searchable {
  const { name, keywords, description } = use;
  return {
    name,
    pack,
    keywords,
    description: description.slice(0, maxDescriptionCharacters),
    inputSchema: use.searched?.() ?? use.input(),
    weight,
  };
}

/** The names of a tool's parameters, and the texts about them. */
export interface ParameterTexts {
  readonly names: readonly string[];
  readonly texts: readonly string[];
}

class ParameterCollector implements ParameterTexts {
  readonly names: string[] = [];
  readonly texts: string[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.names.length >= maxParameters || this.#characters >= maxTextCharacters;
  }

  add(text: string): void {
    const kept = text.slice(0, Math.max(0, maxTextCharacters - this.#characters));
    this.#characters += kept.length;
    if (kept !== "") this.texts.push(kept);
  }
}

/** Maximum depth of nested fields that are indexed. */
const maxDepth = 3;

/** Maximum values of an enum that are indexed. Long lists are mostly codes. */
const maxValues = 20;

/** Maximum parameters of one tool, and characters of the texts about them, that are indexed. */
const maxParameters = 300;
const maxTextCharacters = 6_000;
const maxNameCharacters = 200;

/** Collects the names, descriptions and enum values of parameters, also nested ones. Ignores values that are not schemas. */
export function parameterTexts(schema: JsonSchema | undefined): ParameterTexts {
  const found = new ParameterCollector();
  collect(schema, 0, found);
  return found;
}

function collect(schema: JsonSchema | undefined, depth: number, found: ParameterCollector): void {
  if (depth === maxDepth) return;
  for (const [name, child] of Object.entries(asObject(schema?.["properties"]))) {
    if (found.isFull) return;
    const field = asObject(child);
    const { description, enum: values, items } = field;
    found.names.push(name.slice(0, maxNameCharacters));
    if (typeof description === "string") found.add(description);
    if (Array.isArray(values)) {
      for (const value of values.slice(0, maxValues)) if (typeof value === "string") found.add(value);
    }
    collect(field, depth + 1, found);
    collect(asObject(items), depth + 1, found);
  }
}
