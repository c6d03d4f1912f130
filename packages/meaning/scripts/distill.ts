// `pnpm --filter @toolpacks/meaning distill [file…]`: makes the table of word vectors from a sentence model. Takes more than an hour of one core; a run that was
// stopped goes on where it was.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { writeTable } from "../src/word-table.ts";
import { commonWords } from "./common-words.ts";
import { dimensions, embedTexts, withoutMean } from "./embed-texts.ts";
import { fitWords, textMatrix } from "./fit-words.ts";
import { quantize } from "./quantize.ts";
import { startVectors } from "./start-vectors.ts";
import { trainingTexts } from "./training-texts.ts";

const maxWords = 20_000;

const common = commonWords();
const lists = trainingTexts(process.argv.slice(2));
const single = withoutMean(await embedTexts(common, "words"));
const texts = lists.flatMap((list) => list.texts);
const targets = new Float32Array(texts.length * dimensions);
let end = 0;
for (const list of lists) {
  targets.set(withoutMean(await embedTexts(list.texts, list.name)), end);
  end += list.texts.length * dimensions;
}
const matrix = textMatrix(texts, maxWords, common);
const rowOf = (at: number) => single.subarray(at * dimensions, (at + 1) * dimensions);
const start = new Map(common.map((word, at) => [word, rowOf(at)]));
const vectors = startVectors(matrix, start, targets);
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
