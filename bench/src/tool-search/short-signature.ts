import { estimateTokens, type Tool } from "@toolpacks/core";
import { firstSentence } from "../../../packages/surface/src/first-sentence.ts";
import {
  cutWords,
  nameText,
  parameters,
  parameterText,
  textSchema,
  type Parameter,
} from "../../../packages/surface/src/signature.ts";

/**
 * A signature with a short description, within `maxTokens`. Optional parameters are dropped first, then the description,
 * then the types. The name is never cut.
 */
export function shortSignature(tool: Tool, maxTokens: number): string {
  const all = parameters(textSchema(tool.input));
  const required = all.filter((parameter) => parameter.required).length;
  const texts = textsWithin(all, maxTokens);
  const list = (shown: readonly string[]) => [...shown, ...(shown.length < all.length ? ["…"] : [])].join(", ");
  const mark = tool.mutates ? " [mutates]" : "";
  const does = firstSentence(tool.description);
  for (let shown = texts.length; shown >= required; shown -= 1) {
    for (const words of [14, 8, 4]) {
      const line = `${tool.name}(${list(texts.slice(0, shown))})${mark}: ${cutWords(does, words)}`;
      if (estimateTokens(line) <= maxTokens) return line;
    }
  }
  const bare = `${tool.name}(${list(texts.slice(0, required))})${mark}`;
  // `<`, since the token estimate is low for text with many quotation marks.
  if (required <= texts.length && estimateTokens(bare) < maxTokens) return bare;
  const names = all.slice(0, Math.min(required, maxTokens)).map(({ name }) => nameText(name));
  for (let shown = names.length; shown > 0; shown -= 1) {
    const line = `${tool.name}(${list(names.slice(0, shown))})${mark}`;
    if (estimateTokens(line) <= maxTokens) return line;
  }
  return `${tool.name}(…)${mark}`;
}

/** The first parameters that may fit. Their estimates add up to more than the estimate of the whole line, hence twice the limit. */
function textsWithin(all: readonly Parameter[], maxTokens: number): readonly string[] {
  const texts: string[] = [];
  let tokens = 0;
  for (const parameter of all) {
    const text = parameterText(parameter);
    tokens += estimateTokens(text);
    if (tokens > 2 * maxTokens) break;
    texts.push(text);
  }
  return texts;
}
