import {
  estimateTokens,
  visibleJson,
  type CatalogEntry,
  type JsonSchema,
  type Tool,
  type ToolUse,
} from "@toolpacks/core";
import { firstSentence } from "./first-sentence.ts";
import {
  cutWords,
  nameText,
  parameters,
  parameterText,
  typeText,
  type Parameter,
  type TypeStyle,
} from "./signature.ts";

/** A tool, or one use of it. */
export interface Findable extends CatalogEntry {
  readonly use?: ToolUse | undefined;
}

/** The tool as if the use were all that it does. */
export function asTool({ tool, use }: Findable): Tool {
  if (use === undefined) return tool;
  const input = () => use.input();
  return { ...tool, description: use.description, input: { ...tool.input, json: input, full: input } };
}

/** How much of a call is shown. */
interface Detail {
  readonly depth: number;
  readonly maxValues: number;
  /** The fields whose descriptions are shown. `vague`: those whose type says little. `nested`: also objects and their fields. */
  readonly described: "nested" | "vague" | "none";
  /** Maximum words of the tool's description. */
  readonly words: number;
}

/** From the most detail to the least. */
const details: readonly [Detail, ...Detail[]] = [
  { depth: 1, maxValues: 20, described: "vague", words: 14 },
  { depth: 1, maxValues: 8, described: "vague", words: 8 },
  { depth: 1, maxValues: 4, described: "none", words: 8 },
];

const flat: Detail = { depth: 0, maxValues: 3, described: "none", words: 8 };

/** The values of a record's fields follow rules of the kind, so that their descriptions are shown. */
const recordDetails: readonly Detail[] = [
  { ...details[0], depth: 2, described: "nested" },
  { ...details[0], described: "nested" },
  ...details,
];

/** A short line: the names of the required parameters, and a few words. The name of the tool is never cut. */
export function briefSignature(found: Findable, maxTokens: number): string {
  const tool = asTool(found);
  const all = parameters(tool.input.full());
  const required = all.filter((parameter) => parameter.required).slice(0, maxParameters);
  const mark = tool.mutates ? " [mutates]" : "";
  for (let count = required.length; count >= 0; count -= 1) {
    const names = required.slice(0, count).map((parameter) => parameterName(parameter));
    const head = `${tool.name}(${[...names, ...(count < all.length ? ["…"] : [])].join(", ")})${mark}`;
    for (const words of [8, 5, 3]) {
      const line = `${head}: ${cutWords(firstSentence(tool.description), words)}`;
      if (estimateTokens(line) <= maxTokens) return line;
    }
    if (estimateTokens(head) <= maxTokens) return head;
  }
  return `${tool.name}(…)${mark}`;
}

/** The name of a parameter. A fixed value is shown with it. */
function parameterName({ name, schema }: Parameter): string {
  return schema["const"] === undefined ? nameText(name) : `${nameText(name)}: ${typeText(schema)}`;
}

/**
 * A line from which a call can be written: every field with its type, values and default, one level into objects and arrays. Long lists of values are cut
 * first. Undefined if that is more than `maxTokens`.
 */
export function readySignature(found: Findable, maxTokens: number): string | undefined {
  const choices = found.use?.kind === undefined ? details : recordDetails;
  return firstWithin(
    choices.map((detail) => lineOf(found, detail)),
    maxTokens,
  );
}

/** The same for a tool that has more fields than fit: without nested fields, then without the last optional fields. Undefined if even that does not fit. */
export function cutSignature(found: Findable, maxTokens: number): string | undefined {
  const all = parameters(asTool(found).input.full());
  const required = all.filter((parameter) => parameter.required).length;
  const counts = Array.from({ length: Math.max(0, Math.min(all.length, maxParameters) - required + 1) }, (_, at) => at);
  return firstWithin(
    counts.map((dropped) => lineOf(found, flat, dropped)),
    maxTokens,
  );
}

function firstWithin(lines: readonly (() => string)[], maxTokens: number): string | undefined {
  for (const line of lines) {
    const text = line();
    if (estimateTokens(text) <= maxTokens) return text;
  }
  return undefined;
}

/** @param dropped number of parameters that are left out at the end */
function lineOf(found: Findable, detail: Detail, dropped = 0): () => string {
  return () => {
    const tool = asTool(found);
    const schema = tool.input.full();
    const all = parameters(schema);
    const shown = all.slice(0, Math.min(all.length, maxParameters) - dropped);
    const texts = shown.map((parameter) => parameterText(parameter, styleOf(detail, schema)));
    const list = [...texts, ...(shown.length < all.length ? ["…"] : [])].join(", ");
    const does = cutWords(firstSentence(tool.description), detail.words);
    return `${tool.name}(${list})${tool.mutates ? " [mutates]" : ""}: ${does}`;
  };
}

/** Maximum parameters that are looked at. */
const maxParameters = 60;

function styleOf({ depth, maxValues, described }: Detail, root: JsonSchema): TypeStyle {
  const undescribed = { none: /^/, vague: /^(?!\(?(?:any|object)\b)/, nested: /^(?!\(?(?:any|object|\{))/ }[described];
  const isDescribed = (type: string) => !undescribed.test(type);
  return {
    depth,
    maxValues,
    hasFormats: true,
    root,
    note: (schema, field) =>
      `${defaultText(schema)}${isDescribed(field.type) || (described === "nested" && field.depth < depth) ? meaningText(schema) : ""}`,
  };
}

const maxDefaultCharacters = 30;
const maxMeaningWords = 12;
const maxMeaningCharacters = 100;

function defaultText({ default: value }: JsonSchema): string {
  if (value === undefined || value === null) return "";
  const text = visibleJson(value);
  return text.length > maxDefaultCharacters ? "" : `=${text}`;
}

function meaningText({ description }: JsonSchema): string {
  if (typeof description !== "string") return "";
  const line = description
    .slice(0, 10 * maxMeaningCharacters)
    .replaceAll(/\s+/g, " ")
    .trim();
  const words = cutWords(line, maxMeaningWords);
  return words === ""
    ? ""
    : ` (${words.length > maxMeaningCharacters ? `${words.slice(0, maxMeaningCharacters)}…` : words})`;
}
