import type { CatalogEntry, JsonSchema } from "@toolpacks/core";
import { asObject } from "../signature.ts";

/** What is searched of a tool. */
export interface Searchable {
  readonly name: string;
  /** The pack or server that the tool is of. */
  readonly pack?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly description: string;
  /** The tool's input as JSON Schema. */
  readonly inputSchema?: JsonSchema | undefined;
}

/** Where it is searched. The lead is what a description says first; `description` is the rest of it. */
export const fields = ["name", "pack", "keywords", "parameters", "lead", "description", "details"] as const;

export type Field = (typeof fields)[number];

/** Characters of a description that are indexed. One server may bring a thousand tools, and its index holds up every call. */
const maxDescriptionCharacters = 4_000;

/** A mounted tool as search sees it. */
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

/** The names of a tool's parameters, and whatever is written about them. */
export interface ParameterTexts {
  readonly names: readonly string[];
  readonly texts: readonly string[];
}

class Collected implements ParameterTexts {
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

/** Fields of fields are searched too, to this depth; below it schemas repeat what other tools have as well. */
const deepest = 3;

/** Named values are how an author says what a parameter chooses between; long lists are codes. */
const maxValues = 20;

/** Parameters of one tool that are indexed, and characters of what is written about them. Beyond, only that tool is found less well. */
const maxParameters = 300;
const maxTextCharacters = 6_000;
const maxNameCharacters = 200;

/** Reads the names, descriptions and named values of parameters, nested ones too. Anything that is no schema is passed over. */
export function parameterTexts(schema: JsonSchema | undefined): ParameterTexts {
  const found = new Collected();
  collect(schema, 0, found);
  return found;
}

function collect(schema: JsonSchema | undefined, depth: number, found: Collected): void {
  if (depth === deepest) return;
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
