// `pnpm --filter @toolpacks/meaning distill [file…]`: makes the table of word vectors from a sentence model. Takes more than an hour of one core; a run that was
// stopped goes on where it was.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { writeTable } from "../src/word-table.ts";
import { dimensions, embedTexts, withoutMean } from "./embed-texts.ts";
import { fitWords, textMatrix } from "./fit-words.ts";
import { quantize } from "./quantize.ts";
import { startVectors } from "./start-vectors.ts";
import { trainingTexts } from "./training-texts.ts";
import { chooseWords, usedWords } from "./vocabulary.ts";

const maxWords = 22_000;

const lists = trainingTexts(process.argv.slice(2));
const texts = lists.flatMap((list) => list.texts);
const targets = new Float32Array(texts.length * dimensions);
let end = 0;
for (const list of lists) {
  targets.set(withoutMean(await embedTexts(list.texts, list.name)), end);
  end += list.texts.length * dimensions;
}
const counts = usedWords(texts);
const rows = withoutMean(await embedTexts([...counts.keys()], "words"));
const single = new Map(
  [...counts.keys()].map((word, at) => [word, rows.subarray(at * dimensions, (at + 1) * dimensions)]),
);
const matrix = textMatrix(texts, chooseWords(counts, single, maxWords));
const vectors = startVectors(matrix, single, targets);
fitWords(matrix, targets, vectors);
const words = matrix.words.map((word, at) => ({
  word,
  ...quantize(vectors.subarray(at * dimensions, (at + 1) * dimensions)),
}));
const table = writeTable(words, dimensions);
const sha256 = createHash("sha256").update(table).digest("hex");
const madeOf = Object.fromEntries(lists.map((list) => [list.name, list.texts.length]));
const data = path.join(import.meta.dirname, "../data");
writeFileSync(path.join(data, "words.table"), table);
writeFileSync(
  path.join(data, "words.json"),
  `${JSON.stringify({ model: "all-MiniLM-L6-v2", madeOf, sha256 }, null, 2)}\n`,
);
