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

/** A mounted tool as search sees it. */
export function searchable({ tool, facet }: CatalogEntry): Searchable {
  const { name, keywords, description, input } = tool;
  return { name, pack: facet, keywords, description, inputSchema: input.json() };
}

/** The names of a tool's parameters, and whatever is written about them. */
export interface ParameterTexts {
  readonly names: string[];
  readonly texts: string[];
}

/** Fields of fields are searched too, to this depth; below it schemas repeat what other tools have as well. */
const deepest = 3;

/** Named values are how an author says what a parameter chooses between; long lists are codes. */
const mostValues = 20;

/** Reads the names, descriptions and named values of parameters, nested ones too. Anything that is no schema is passed over. */
export function parameterTexts(
  schema: JsonSchema | undefined,
  depth = 0,
  found: ParameterTexts = { names: [], texts: [] },
): ParameterTexts {
  if (depth === deepest) return found;
  for (const [name, child] of Object.entries(asObject(schema?.["properties"]))) {
    const field = asObject(child);
    const { description, enum: values, items } = field;
    found.names.push(name);
    if (typeof description === "string") found.texts.push(description);
    if (Array.isArray(values))
      found.texts.push(...values.slice(0, mostValues).filter((value) => typeof value === "string"));
    parameterTexts(field, depth + 1, found);
    parameterTexts(asObject(items), depth + 1, found);
  }
  return found;
}
