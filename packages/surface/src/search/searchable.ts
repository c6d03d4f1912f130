import type { JsonSchema } from "@toolpacks/core";
import type { Findable } from "../ready-signature.ts";
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

/** The searched fields of a mounted tool, or of one use of it, under the name of what it is for. */
export function searchable({ tool, facet, use }: Findable, weight?: number): Searchable {
  const { name, keywords, description } = use ?? tool;
  return {
    name,
    pack: facet,
    keywords,
    description: description.slice(0, maxDescriptionCharacters),
    inputSchema: use === undefined ? tool.input.json() : (use.searched?.() ?? use.input()),
    weight,
  };
}

/** Maximum depth of nested fields that are indexed. */
const maxDepth = 3;

/** Maximum values of an enum that are indexed. Long lists are mostly codes. */
const maxValues = 20;

/** Maximum parameters of one tool, and characters of the texts about them, that are indexed. */
const maxParameters = 300;
const maxTextCharacters = 6_000;
const maxNameCharacters = 200;

/** Collects the names of parameters and the texts about them, descriptions and enum values, also of nested ones. Ignores values that are not schemas. */
export function parameterTexts(schema: JsonSchema | undefined) {
  const names: string[] = [];
  const texts: string[] = [];
  let charactersLeft = maxTextCharacters;
  const add = (text: unknown) => {
    if (typeof text !== "string" || text === "" || charactersLeft === 0) return;
    const kept = text.slice(0, charactersLeft);
    charactersLeft -= kept.length;
    texts.push(kept);
  };
  const collect = (parent: JsonSchema, depth: number) => {
    if (depth === maxDepth) return;
    for (const [name, child] of Object.entries(asObject(parent["properties"]))) {
      if (names.length >= maxParameters || charactersLeft === 0) return;
      const field = asObject(child);
      const { description, enum: values, items } = field;
      names.push(name.slice(0, maxNameCharacters));
      add(description);
      if (Array.isArray(values)) values.slice(0, maxValues).forEach(add);
      collect(field, depth + 1);
      collect(asObject(items), depth + 1);
    }
  };
  collect(schema ?? {}, 0);
  return { names, texts };
}
