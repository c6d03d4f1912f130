import {
  estimateTokens,
  visibleJson,
  type CatalogEntry,
  type JsonSchema,
  type Tool,
  type ToolUse,
} from "@toolpacks/core";
import { withNotes, type FieldNote } from "./field-notes.ts";
import { firstSentence } from "./first-sentence.ts";
import { itemFields, resultLists } from "./result-text.ts";
import { cutWords, nameText, parameters, parameterText, typeText, type TypeStyle } from "./signature.ts";

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
  /** Maximum words of the tool's description. */
  readonly words: number;
  /** Nesting of objects that the result is shown with, in code. Default 0. */
  readonly resultDepth?: number;
  /** The names of the fields of the result's first list, in a signature. Default: none. */
  readonly fields?: string;
}

/** From the most detail to the least. Real enums have fewer values than the first has. */
const details: readonly [Detail, ...Detail[]] = [
  { depth: 1, maxValues: 60, words: 14 },
  { depth: 1, maxValues: 8, words: 8 },
  { depth: 1, maxValues: 4, words: 8 },
];

const flat: Detail = { depth: 0, maxValues: 3, words: 8 };

/** The records of a kind may have objects as fields. */
const recordDetails: readonly [Detail, ...Detail[]] = [{ ...details[0], depth: 2 }, ...details];

/** Maximum estimated tokens of a line with every note of our own, without the type of its result. */
const maxExplained = 90;

/** How a line of a tool is rendered. */
interface LineLimits {
  /** Maximum estimated tokens. */
  readonly maxTokens: number;
  /** Whether the line says what the tool does. Default true. */
  readonly isDescribed?: boolean;
  /** The notes of the answer so far, which a ready line leaves out and adds to. Default: none. */
  readonly shownBefore?: Set<string>;
  /** Whether the line is a member of a TypeScript type, and a short line a comment in it. Default false. */
  readonly isCode?: boolean | undefined;
}

/** Maximum words of the description in a short line. */
const briefWords = [6, 4] as const;

/** A short line: the name and a few words. The name is never cut. */
export function briefSignature(found: Findable, { maxTokens, isDescribed = true, isCode }: LineLimits): string {
  const tool = asTool(found);
  const kind = found.use?.kind === undefined ? "" : `kind: ${visibleJson(found.use.kind.name)}, `;
  const isCallable = parameters(tool.input.full()).length === 0;
  const head = `${isCode === true ? "// " : ""}${tool.name}(${isCallable ? "" : `${kind}…`})${tool.mutates ? " [mutates]" : ""}`;
  for (const words of isDescribed ? briefWords : []) {
    const line = `${head}: ${cutWords(firstSentence(tool.description), words)}`;
    if (estimateTokens(line) <= maxTokens) return line;
  }
  return head;
}

/**
 * A line from which a call can be written: every field with its type, values and default, one level into objects and arrays, and a note where the type
 * does not say what to write. Notes and long lists of values are cut first. Undefined if that is more than `maxTokens`.
 */
export function readySignature(found: Findable, limits: LineLimits): string | undefined {
  const { maxTokens, isDescribed = true, isCode = false, shownBefore = new Set() } = limits;
  const isOfRecord = found.use?.kind !== undefined;
  const source = { isOwn: isOwn(found), isOfRecord };
  const all = isOfRecord ? recordDetails : details;
  const named = isOwn(found) && found.tool.output !== undefined ? itemFields(found.tool.output.full()) : "";
  // What the result has is cut first. An answer names the same fields once.
  const fields = shownBefore.has(named) ? "" : named;
  const results = isCode ? [3, 2, 1].map((resultDepth) => ({ resultDepth })) : [{ fields }];
  for (const detail of [...results.map((one): Detail => ({ ...all[0], ...one })), ...all]) {
    const ofResult = estimateTokens(isCode ? resultType(found.tool, detail) : (detail.fields ?? ""));
    const text = withNotes((note) => lineOf(found, detail, { note, isDescribed, isCode }), source, {
      maxTokens,
      maxExplained: Math.min(maxExplained + ofResult, maxTokens),
      shownBefore,
    });
    if (text === undefined) continue;
    if (detail.fields !== undefined) shownBefore.add(detail.fields);
    return text;
  }
  return undefined;
}

/** Whether a tool is one of ours, not another server's. */
export function isOwn({ tool }: Findable): boolean {
  return tool.input.zod !== undefined;
}

/** The same for a tool that has more fields than fit: without nested fields, then without the last optional fields. Undefined if even that does not fit. */
export function cutSignature(found: Findable, { maxTokens, isCode }: LineLimits): string | undefined {
  const all = parameters(asTool(found).input.full());
  const required = all.filter((parameter) => parameter.required).length;
  for (let dropped = 0; dropped <= Math.max(0, Math.min(all.length, maxParameters) - required); dropped += 1) {
    const text = lineOf(found, flat, { dropped, isCode });
    if (estimateTokens(text) <= maxTokens) return text;
  }
  return undefined;
}

interface LineOptions extends Pick<LineLimits, "isDescribed" | "isCode"> {
  /** Number of parameters that are left out at the end. Default 0. */
  readonly dropped?: number;
  readonly note?: FieldNote;
}

function lineOf(
  found: Findable,
  detail: Detail,
  { dropped = 0, note = () => "", isDescribed = true, isCode = false }: LineOptions,
): string {
  const tool = asTool(found);
  const root = tool.input.full();
  const all = parameters(root);
  const shown = all.slice(0, Math.min(all.length, maxParameters) - dropped);
  const style: TypeStyle = {
    ...detail,
    hasFormats: true,
    isCode,
    root,
    left: { types: maxTypes },
    note: (schema, { depth, ...field }) => {
      const [value, said] = [defaultText(schema), note(schema, { ...field, isNested: depth < detail.depth })];
      if (isCode) return comment([value && `default ${value}`, said].filter(Boolean).join("; "));
      return `${value && `=${value}`}${said && ` (${said})`}`;
    },
  };
  const texts = shown.map((parameter) => parameterText(parameter, style));
  const list = [...texts, ...(shown.length < all.length ? [isCode ? "/* … */" : "…"] : [])].join(", ");
  const described = isDescribed ? cutWords(firstSentence(tool.description), detail.words) : "";
  if (isCode) {
    const does = comment(`${described}${tool.mutates ? " [mutates]" : ""}`.trim(), "/**").trimStart();
    const isOptional = !all.some((parameter) => parameter.required);
    const given = list === "" ? "" : `args${isOptional ? "?" : ""}: { ${list} }`;
    return `${does && `${does} `}${nameText(tool.name, style)}(${given}): Promise<${resultType(tool, detail)}>;`;
  }
  const does = isDescribed ? `: ${described}` : "";
  const hasLists = detail.depth > 0 && isOwn(found) && tool.output !== undefined;
  const result = hasLists ? resultLists(tool.output.full(), detail.fields) : "";
  return `${tool.name}(${list})${tool.mutates ? " [mutates]" : ""}${result}${does}`;
}

/** A result's type in code. `unknown` without a schema. */
function resultType({ output }: Tool, { resultDepth = 0 }: Detail): string {
  const root = output?.full();
  return root === undefined
    ? "unknown"
    : typeText(root, { depth: resultDepth, maxValues: maxResultValues, isCode: true, root, left: { types: maxTypes } });
}

/** Maximum values of an enum in a result. */
const maxResultValues = 12;

/** A comment in TypeScript, with a space before it. Empty without a text. */
function comment(text: string, start = "/*"): string {
  return text && ` ${start} ${text.replaceAll("*/", String.raw`*\/`)} */`;
}

const maxParameters = 60;

/** Maximum types of a call, and of a result, that are looked at. More do not fit. */
const maxTypes = 1_000;

const maxDefaultCharacters = 30;

function defaultText({ default: value }: JsonSchema): string {
  if (value === undefined || value === null) return "";
  const text = visibleJson(value);
  return text.length > maxDefaultCharacters ? "" : text;
}
