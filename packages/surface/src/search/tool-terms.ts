import type { FieldTerms } from "./field-index.ts";
import { parameterTexts, type Searchable } from "./searchable.ts";
import { joinedWords, markers, meaningful, pairTerms, stemTerm, wordTerms } from "./terms.ts";
import { identifierWords, proseWords } from "./words.ts";

/** A tool, analysed. */
export interface ToolTerms {
  /** Terms per field, in the order of `fields`. */
  readonly fields: FieldTerms;
  /** The stems of its name, each once. */
  readonly name: readonly string[];
}

/** Analyses a tool. Most of what indexing costs. */
export function toolTerms({ name, pack = "", keywords = [], description, inputSchema }: Searchable): ToolTerms {
  const nameWords = identifierWords(name);
  const packWords = identifierWords(pack);
  const told = proseWords(description);
  const parameters = parameterTexts(inputSchema);
  return {
    fields: [
      [...wordTerms(nameWords), ...joinedTerms(nameWords), ...pairTerms(nameWords)],
      [...wordTerms(packWords), ...joinedTerms(packWords)],
      keywords.flatMap((keyword) => wordTerms(proseWords(keyword))),
      wordTerms(parameters.names.flatMap(identifierWords)),
      [...wordTerms(told), ...pairTerms(told)],
      wordTerms(parameters.texts.flatMap(proseWords)),
    ],
    name: [...new Set(meaningful(nameWords).map(stemTerm))],
  };
}

function joinedTerms(words: readonly string[]): readonly string[] {
  return joinedWords(words).map((joined) => markers.joined + joined);
}
