import { clip, estimateTokens, type CatalogEntry } from "@toolpacks/core";
import { describeTool, meaning } from "./describe.ts";
import { cutWords, parameters, parameterText, textSchema, type Parameter } from "./signature.ts";

/** Maximum estimated tokens of another server's tool. The estimate may be a fifth too low: 250 o200k tokens at most. */
const maxForeignTokens = 205;

/** Further fields are in the JSON Schema only. */
const maxForeignFields = 60;

/** Maximum required fields whose meaning goes before further fields. */
const maxMeaningsFirst = 4;

/** Maximum words of the tool's description, and of a field's, in a shortened description. */
const maxWords = { tool: 40, field: 10 } as const;
/** Maximum characters of these words, which may be of any length. */
const maxTextCharacters = 400;

/**
 * Describes a tool of another server within 250 tokens: the same as `describeTool` if that fits. Otherwise fields are left out at the end if their types do
 * not fit, and the rest of the room goes to what the first fields mean. The last line says that the text is shortened.
 */
export function describeForeignTool(entry: CatalogEntry): string {
  const { tool } = entry;
  const root = textSchema(tool.input);
  const all = parameters(root);
  if (all.length <= maxForeignFields) {
    const whole = describeTool(entry);
    if (estimateTokens(whole) <= maxForeignTokens) return whole;
  }
  const does = cutWords(meaning(tool), maxWords.tool);
  const head = `${tool.name}${tool.mutates ? " [mutates]" : ""}: ${clip(does, maxTextCharacters)}`;
  const noteOf = (left: number) => `(shortened${left === 0 ? "" : `, ${left} fields more`}; schema: true shows all)`;
  let room = maxForeignTokens - estimateTokens(`${head}\n${noteOf(all.length)}`);
  const lines: string[] = [];
  const add = (at: number, text: string) => {
    const cost = estimateTokens(text) + (lines[at] === undefined ? 1 : 0);
    if (cost > room) return false;
    room -= cost;
    lines[at] = `${lines[at] ?? ""}${text}`;
    return true;
  };
  const shown = all.slice(0, maxForeignFields);
  const addMeaning = ({ schema }: Parameter, at: number) => {
    const said = clip(cutWords(meaning(schema), maxWords.field), maxTextCharacters);
    if (said !== "") add(at, ` - ${said}`);
  };
  for (const [at, parameter] of shown.entries()) {
    if (!add(at, `  ${parameterText(parameter, { root })}`)) break;
    if (parameter.required && at < maxMeaningsFirst) addMeaning(parameter, at);
  }
  for (const [at, parameter] of shown.slice(0, lines.length).entries()) {
    if (!parameter.required || at >= maxMeaningsFirst) addMeaning(parameter, at);
  }
  return [head, ...lines, noteOf(all.length - lines.length)].join("\n");
}
