import { stemmer } from "stemmer";
import type { TextWords } from "./driver.ts";
import type { FieldPath, RecordData } from "@toolpacks/core";
import { valueAt } from "./value-at.ts";

/** Limits of the indexed text of a record. The rest of a longer text is stored but not indexed. */
const maxCharacters = 200_000;
const maxWords = 16_000;
const maxWordLength = 40;

/** Scripts that are written without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * Splits a text into words for full text: lower-case, without accents, English words reduced to their stem, and scripts without spaces segmented by
 * a dictionary. Every driver uses these words, so that all find the same records.
 *
 * @param wanted the only words that matter to the caller. Other words may be left unreduced
 */
export function textWords(text: string, wanted?: ReadonlySet<string>): readonly string[] {
  // A stem begins as its word does: with the same letter, and from three letters on with the same two.
  const starts = wanted && [...new Set([...wanted].map((word) => word.slice(0, word.length < 3 ? 1 : 2)))];
  const stem = (run: string) => (starts?.some((one) => run.startsWith(one)) === false ? run : stemmer(run));
  const start = text.slice(0, maxCharacters);
  const words = isAscii(start)
    ? (start.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(stem)
    : foldedRuns(start).flatMap((run) => (unspaced.test(run) ? segment(run) : [stem(run)]));
  const cut = (word: string) => (word.length > maxWordLength ? word.slice(0, maxWordLength).toWellFormed() : word);
  return words.slice(0, maxWords).map(cut);
}

/** Such a text takes half the time. */
function isAscii(text: string): boolean {
  return /^[\0-\x7F]*$/.test(text);
}

function foldedRuns(text: string): readonly string[] {
  const decomposed = text.normalize("NFKD").toLowerCase();
  const folded = decomposed.replaceAll(/[\u0300-\u036F]+/g, "").normalize("NFC");
  // The remaining marks are vowels and tones, such as in Thai and Hindi.
  return folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*|\p{Extended_Pictographic}/gu) ?? [];
}

/** Splits the text fields of a record into words. @param wanted as of `textWords` */
export function recordWords(data: RecordData, fields: readonly FieldPath[], wanted?: ReadonlySet<string>): TextWords {
  const [first = [], ...rest] = fields.map((path) => textWords(textAt(data, path), wanted));
  return { first, rest: rest.flat().slice(0, Math.max(0, maxWords - first.length)) };
}

/** The text of a field. The items of an array are lines. */
export function textAt(data: RecordData, path: FieldPath): string {
  const value = valueAt(data, path);
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").join("\n") : "";
}

function segment(run: string): readonly string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}
