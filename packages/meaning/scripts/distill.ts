// `pnpm --filter @toolpacks/meaning distill`: makes the table of word vectors from a sentence model. Takes about an hour of one core; a run that was
// stopped goes on where it was.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeTable } from "../src/word-table.ts";
import { dimensions, embedTexts } from "./embed-texts.ts";
import { fitWords, textMatrix } from "./fit-words.ts";
import { quantize } from "./quantize.ts";
import { startVectors } from "./start-vectors.ts";
import { trainingTexts } from "./training-texts.ts";

const maxWords = 20_000;

/** The error on texts that were left out is lowest near these numbers, and flat around them. */
const fit = { dimensions, ridge: 0.2, steps: 25 };

const texts = trainingTexts();
const matrix = textMatrix(texts, maxWords);
const targets = await embedTexts(texts, "texts");
const single = await embedTexts(matrix.words, "words");
const vectors = startVectors(matrix, single, targets, dimensions);
fitWords(matrix, targets, vectors, { ...fit, onStep: (step, left) => console.log(`step ${step}: ${left.toFixed(3)}`) });
const words = matrix.words.map((word, at) => ({
  word,
  ...quantize(vectors.subarray(at * dimensions, (at + 1) * dimensions)),
}));
const table = writeTable(words, dimensions);
const file = path.join(import.meta.dirname, "../data/words.table");
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, table);
const hash = createHash("sha256").update(table).digest("hex");
console.log(`${words.length} words, ${table.length} bytes, sha256 ${hash}`);
