import type { FieldTerms } from "./field-index.ts";
import type { Lexicon } from "./lexicon.ts";
import { parameterTexts, type Searchable } from "./searchable.ts";
import { identifierWords, proseWords } from "./words.ts";

/** A tool, analysed. */
export interface ToolTerms {
  /** Terms per field, in the order of `fields`. */
  readonly fields: FieldTerms;
  /** The stems of its name, each once. */
  readonly name: readonly number[];
}

/**
 * Analyses a tool; most of what indexing costs. Each word is indexed as it was written and stemmed, since stems alone put
 * `news` with `new` and written words alone part `issue` from `issues`.
 */
export function toolTerms(
  { name, pack = "", keywords = [], description, inputSchema }: Searchable,
  lexicon: Lexicon,
): ToolTerms {
  const nameWords = identifierWords(name);
  const packWords = identifierWords(pack);
  const [lead, rest] = parted(description);
  const parameters = parameterTexts(inputSchema);
  return {
    fields: [
      [...termsOf(nameWords, lexicon, true), ...joinedTerms(nameWords, lexicon)],
      [...termsOf(packWords, lexicon), ...joinedTerms(packWords, lexicon)],
      termsOf(keywords.flatMap(proseWords), lexicon),
      termsOf(parameters.names.flatMap(identifierWords), lexicon),
      termsOf(proseWords(lead), lexicon, true),
      termsOf(proseWords(rest), lexicon, true),
      termsOf(parameters.texts.flatMap(proseWords), lexicon),
    ],
    name: [...new Set(nameWords.flatMap((word) => lexicon.token(word)?.stem ?? []))],
  };
}

/** A description's first sentence or line, and the rest: what else an author tells says less and less of what a tool does. */
function parted(description: string): readonly [lead: string, rest: string] {
  const text = description.trimStart();
  const end = text.search(/[.!?。](?:\s|$)|\n/u);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
}

/** Words written and stemmed, and where asked each two neighbouring stems; stop words apart. */
function termsOf(words: readonly string[], lexicon: Lexicon, pairs = false): readonly number[] {
  const terms: number[] = [];
  let before: number | undefined;
  for (const one of words) {
    const token = lexicon.token(one);
    if (token === undefined) continue;
    terms.push(token.word, token.stem);
    if (pairs && before !== undefined) terms.push(lexicon.pair(before, token.stem));
    before = token.stem;
  }
  return terms;
}

function joinedTerms(words: readonly string[], lexicon: Lexicon): readonly number[] {
  return words.slice(1).map((word, at) => lexicon.joined(words[at] ?? "", word));
}
