import { stemmer } from "stemmer";
import type { TextWords } from "./driver.ts";
import type { FieldPath, RecordData } from "./store.ts";
import { valueAt } from "./value-at.ts";

/** What full text covers of one record; the rest of a longer text is kept, and not found. */
const maxCharacters = 200_000;
const maxWords = 16_000;
const maxWordLength = 40;

/** Scripts that are written without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of a text as full text knows them: lower-case, without accents, English words by their stem, scripts without
 * spaces cut by a dictionary. Every driver stores and looks up these, so that all of them find the same.
 */
export function textWords(text: string): readonly string[] {
  const decomposed = text.slice(0, maxCharacters).normalize("NFKD").toLowerCase();
  const folded = decomposed.replaceAll(/[\u0300-\u036F]+/g, "").normalize("NFC");
  // Marks that are left are vowels and tones of scripts that write them above and below their letters.
  const runs = folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*|\p{Extended_Pictographic}/gu) ?? [];
  const words = runs.flatMap((run) => (unspaced.test(run) ? segment(run) : [stemmer(run)]));
  return words.slice(0, maxWords).map((word) => word.slice(0, maxWordLength).toWellFormed());
}

/** The words of a record's text fields. */
export function recordWords(data: RecordData, fields: readonly FieldPath[]): TextWords {
  const [first = [], ...rest] = fields.map((path) => textWords(textAt(data, path)));
  return { first, rest: rest.flat().slice(0, Math.max(0, maxWords - first.length)) };
}

function textAt(data: RecordData, path: FieldPath): string {
  const value = valueAt(data, path);
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((item) => typeof item === "string").join("\n") : "";
}

function segment(run: string): readonly string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}
