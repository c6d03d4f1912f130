import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { wordsOf } from "../src/meaning.ts";
import { sample } from "./random.ts";

const { resolve } = createRequire(import.meta.url);

/** Sentences of the comments in a package's types, which describe a real API. The same version of the package and count give the same sentences. */
export function apiTexts(packageName: string, file: string, count: number): readonly string[] {
  const source = readFileSync(path.join(path.dirname(resolve(`${packageName}/package.json`)), file), "utf8");
  const sentences = new Set<string>();
  for (const [, comment = ""] of source.matchAll(/\/\*\*([\s\S]*?)\*\//g)) {
    for (const part of plainText(comment).split(/(?<=[.!?])\s+/)) {
      const sentence = part.replace(/^[. ]+/, "").trim();
      const { length } = wordsOf(sentence);
      if (length >= 3 && length <= 18 && !/https?:|\/\//.test(sentence)) sentences.add(sentence);
    }
  }
  return sample([...sentences], count, 5);
}

/** A comment without the asterisks of its lines, its tags and its Markdown. */
function plainText(comment: string): string {
  return comment
    .replaceAll(/^\s*\*\s?/gm, " ")
    .replaceAll(/@\w+( \w+\[?\]?)?/g, ". ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*_#>|]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}
