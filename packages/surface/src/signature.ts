import { estimateTokens, type JsonSchema, type Tool } from "@toolpacks/core";

/** One parameter of a tool, read from its JSON Schema. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** The parameters of an object schema, required ones first, otherwise in the author's order. */
export function parameters(schema: JsonSchema): readonly Parameter[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const all = Object.entries(asObject(schema["properties"])).map(([name, child]) => ({
    name,
    required: required.has(name),
    schema: asObject(child),
  }));
  return [...all.filter((parameter) => parameter.required), ...all.filter((parameter) => !parameter.required)];
}

/** `fs_read(path: string, startLine?: int)`, with every parameter. */
export function signature(tool: Pick<Tool, "name" | "input">): string {
  return `${tool.name}(${parameters(tool.input.json()).map(parameterText).join(", ")})`;
}

/**
 * A signature with a word on what the tool does, within a number of tokens: optional parameters give way first, then
 * the description, then the types. The name always stands whole.
 */
export function shortSignature(tool: Tool, mostTokens: number): string {
  const all = parameters(tool.input.json());
  const required = all.filter((parameter) => parameter.required).length;
  const mark = tool.mutates ? " [mutates]" : "";
  const does = firstSentence(tool.description);
  for (let shown = all.length; shown >= required; shown -= 1) {
    for (const words of [14, 8, 4]) {
      const line = `${tool.name}(${parameterList(all, shown)})${mark}: ${cutWords(does, words)}`;
      if (estimateTokens(line) <= mostTokens) return line;
    }
  }
  const bare = `${tool.name}(${parameterList(all, required)})${mark}`;
  // A line that is mostly types has many quotation marks, which are estimated lowest.
  if (estimateTokens(bare) < mostTokens) return bare;
  for (let shown = required; shown > 0; shown -= 1) {
    const names = all.slice(0, shown).map(({ name }) => name);
    const line = `${tool.name}(${[...names, ...(shown < all.length ? ["…"] : [])].join(", ")})${mark}`;
    if (estimateTokens(line) <= mostTokens) return line;
  }
  return `${tool.name}(…)${mark}`;
}

/** A type as a model reads it: `string`, `int`, `"asc"|"desc"`, `string[]`, `{ old: string, new: string }[]`. */
export function typeText(schema: JsonSchema, depth = 1): string {
  const { const: constant, enum: values, type, items } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) return enumText(values);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return unionText(branches.map((branch) => typeText(asObject(branch), depth)));
  if (Array.isArray(type)) return unionText(type.map((one) => typeText({ ...schema, type: one }, depth)));
  if (type === "array") {
    const item = typeText(asObject(items), depth);
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (type === "object" && depth > 0) return objectText(schema, depth);
  if (type === "integer") return "int";
  return typeof type === "string" ? type : "any";
}

export function asObject(value: unknown): JsonSchema {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as JsonSchema) : {};
}

/** The first sentence, without its full stop. Abbreviations such as `e.g.` do not end one. */
export function firstSentence(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  const end = line.search(/(?<!\b(?:e\.g|i\.e|etc|vs))\.(?:\s|$)/i);
  return (end < 0 ? line : line.slice(0, end)).trim();
}

function parameterText({ name, required, schema }: Parameter): string {
  return `${name}${required ? "" : "?"}: ${typeText(schema)}`;
}

function parameterList(all: readonly Parameter[], shown: number): string {
  const texts = all.slice(0, shown).map(parameterText);
  return [...texts, ...(shown < all.length ? ["…"] : [])].join(", ");
}

const mostValues = 6;

function enumText(values: readonly unknown[]): string {
  const shown = values.slice(0, mostValues).map((value) => JSON.stringify(value));
  return [...shown, ...(values.length > mostValues ? ["…"] : [])].join("|");
}

function unionText(types: readonly string[]): string {
  return [...new Set(types)].join("|");
}

function objectText(schema: JsonSchema, depth: number): string {
  const all = parameters(schema);
  if (all.length === 0) return "object";
  const fields = all.map(
    ({ name, required, schema: child }) => `${name}${required ? "" : "?"}: ${typeText(child, depth - 1)}`,
  );
  return `{ ${fields.join(", ")} }`;
}

function cutWords(text: string, most: number): string {
  const words = text.split(/\s+/);
  return words.length <= most ? text : `${words.slice(0, most).join(" ")}…`;
}
