import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Counts o200k tokens. The vocabulary has megabytes, so `serve` never imports this file. */
export function countTokens(text: string): number {
  return encode(text).length;
}
