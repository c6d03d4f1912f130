/** Scripts that are written without spaces between words: Han, kana, Thai, Lao, Khmer, Burmese, Tibetan. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;

const ascii = /^[\0-\x7F]*$/;

let segmenter: Intl.Segmenter | undefined;

/**
 * The words of a sentence, lower-case, without accents. A word stays as its author wrote it: `GitHub` is one word. Scripts
 * without spaces are cut by the platform's dictionary.
 */
export function proseWords(text: string): readonly string[] {
  const lower = text.toLowerCase();
  if (ascii.test(lower)) return joinApostrophes(lower).match(/[a-z0-9]+/g) ?? [];
  const plain = joinApostrophes(withoutAccents(lower));
  const words = plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return unspaced.test(plain) ? words.flatMap((word) => (unspaced.test(word) ? segment(word) : [word])) : words;
}

/** The words of a name: `listPullRequests`, `list_pull_requests` and `list-pull-requests` are the same three. */
export function identifierWords(identifier: string): readonly string[] {
  if (!/\p{Lu}/u.test(identifier)) return proseWords(identifier);
  const spaced = identifier
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return proseWords(spaced);
}

/** `Anna's` is `anna`, and `don't` is one word. */
function joinApostrophes(text: string): string {
  return text.includes("'") || text.includes("’") ? text.replaceAll(/['’]s\b|['’](?=\p{L})/gu, "") : text;
}

/** Only marks on Latin, Greek and Cyrillic letters are ornament; elsewhere they are vowels. */
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

/** A text with a gap for each quotation of up to 200 characters. */
export function withoutQuotations(text: string): string {
  return text.replaceAll(quotations, " ");
}
