import { textWords } from "./text-words.ts";

/** English words that carry no topic. They are frequent in questions and in records. */
const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any anybody anyone anything are aren't as at be because been before being below
  between both but by can can't cannot could did didn't do does doesn't doing don't done down during each ever every few for from further
  get got had has hasn't have haven't having he her here hers him his how however i i'd i'll i'm i've if in into is isn't it its it's itself just
  know known let's like many may me might more most much must my no nor not now of off on once one only or other our ours out over own
  please same shall she should so some somebody someone something such tell than that that's the their theirs them then there these they
  this those through to too under until up us very was wasn't we we'd we'll we're we've were weren't what what's when where whether which while
  who who's whom whose why will with won't would you you'd you'll you're your yours`
    .split(/\s+/)
    .flatMap((word) => [word, word.replaceAll("'", "")]),
);

/** A query without its stop words; the unchanged query if it has no other words. */
export function contentOf(query: string): string {
  const words = query
    .normalize("NFKC")
    .replaceAll("’", "'")
    .split(/[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}']+/u)
    .map((word) => word.replace(/'s$/i, ""))
    .filter((word) => word !== "" && !stopWords.has(word.toLowerCase()));
  const content = words.join(" ");
  return /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(content) ? content : query;
}

/** The stems of a text's words, without stop words. */
export function contentWords(text: string): ReadonlySet<string> {
  return new Set(textWords(contentOf(text)));
}
