/** Scripts without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese, Tibetan. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

const ascii = /^[\0-\x7F]*$/;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of a sentence in lower case, without accents. Camel case is not split: `GitHub` is one word. Scripts without
 * spaces are split by the platform's dictionary.
 */
export function proseWords(text: string): readonly string[] {
  const lower = text.toLowerCase();
  if (ascii.test(lower)) return joinApostrophes(lower).match(/[a-z0-9]+/g) ?? [];
  const plain = joinApostrophes(withoutAccents(lower));
  const words = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return unspaced.test(plain) ? words.flatMap((word) => (unspaced.test(word) ? segment(word) : [word])) : words;
}

/** The words of a name. `listPullRequests`, `list_pull_requests` and `list-pull-requests` have the same three. */
export function identifierWords(identifier: string): readonly string[] {
  if (!/\p{Lu}/u.test(identifier)) return proseWords(identifier);
  const spaced = identifier
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return proseWords(spaced);
}

/** Removes apostrophes: `anna's` becomes `anna`, `don't` becomes `dont`. */
function joinApostrophes(text: string): string {
  return text.includes("'") || text.includes("’") ? text.replaceAll(/['’]s\b|['’](?=\p{L})/gu, "") : text;
}

/** Removes marks from Latin, Greek and Cyrillic letters. In other scripts marks are vowels. */
function withoutAccents(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036F]/g, "")
    .replaceAll("đ", "d")
    .normalize("NFKC");
}

function segment(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  const words: string[] = [];
  for (const { segment: word, isWordLike } of segmenter.segment(text)) if (isWordLike === true) words.push(word);
  return words;
}

const quotations = /(?<![\p{L}\p{N}])(["'`])(?=\S).{1,200}?\1(?![\p{L}\p{N}])|“.{1,200}?”|«.{1,200}?»|「.{1,200}?」/gu;

/** Replaces each quotation of up to 200 characters by a space. */
export function withoutQuotations(text: string): string {
  return text.replaceAll(quotations, " ");
}
