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
  const [lead, rest] = parted(description);
  const parameters = parameterTexts(inputSchema);
  return {
    fields: [
      [...wordTerms(nameWords), ...joinedTerms(nameWords), ...pairTerms(nameWords)],
      [...wordTerms(packWords), ...joinedTerms(packWords)],
      keywords.flatMap((keyword) => wordTerms(proseWords(keyword))),
      wordTerms(parameters.names.flatMap(identifierWords)),
      proseTerms(lead),
      proseTerms(rest),
      wordTerms(parameters.texts.flatMap(proseWords)),
    ],
    name: [...new Set(meaningful(nameWords).map(stemTerm))],
  };
}

/** A description's first sentence or line, and the rest: what else an author tells says less and less of what a tool does. */
function parted(description: string): readonly [lead: string, rest: string] {
  const text = description.trimStart();
  const end = text.search(/[.!?。](?:\s|$)|\n/u);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end)];
}

function proseTerms(text: string): readonly string[] {
  const words = proseWords(text);
  return [...wordTerms(words), ...pairTerms(words)];
}

function joinedTerms(words: readonly string[]): readonly string[] {
  return joinedWords(words).map((joined) => markers.joined + joined);
}
