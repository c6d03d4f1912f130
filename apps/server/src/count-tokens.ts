import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** o200k tokens. Megabytes of vocabulary: imported by the commands that count, never by `serve`. */
export function countTokens(text: string): number {
  return encode(text).length;
}
