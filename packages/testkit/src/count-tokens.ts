import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";

/** Counts o200k tokens, the unit of prompt budgets. */
export function countTokens(text: string): number {
  return count(text, { allowedSpecial: "all" });
}
