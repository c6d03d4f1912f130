import { readFileSync } from "node:fs";
import path from "node:path";
import { wordnetTexts } from "./wordnet-texts.ts";

/** More lines of a file make the table no better. */
const maxLines = 40_000;

/**
 * The texts from which the table is distilled, by sort. What the vectors of one sort have in common tells the sort, not the meaning.
 *
 * @param files further sorts: files with a text on each line, of which the last column counts if there are several
 */
export function trainingTexts(
  files: readonly string[],
): readonly { readonly name: string; readonly texts: readonly string[] }[] {
  const { definitions, examples } = wordnetTexts({ definitions: 46_000, examples: 32_000 });
  return [
    { name: "WordNet's definitions", texts: definitions },
    { name: "WordNet's examples", texts: examples },
    ...files.map((file) => ({ name: path.parse(file).name, texts: linesOf(file).slice(0, maxLines) })),
  ];
}

function linesOf(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.map((line) => line.split("\t").at(-1)?.trim() ?? "").filter((text) => text !== "");
}
