import { dialogueTexts, toolTexts } from "./generated-texts.ts";
import { wordnetTexts } from "./wordnet-texts.ts";

/** The texts from which the table is distilled. */
export function trainingTexts(): readonly string[] {
  return [...toolTexts(12_000), ...dialogueTexts(6_000), ...wordnetTexts({ definitions: 46_000, examples: 16_000 })];
}
