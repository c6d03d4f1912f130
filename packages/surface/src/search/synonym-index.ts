import { spellingFamilies } from "./spellings.ts";
import { synonymFamilies } from "./synonyms.ts";
import { pairTerms, stemTerm } from "./terms.ts";

/** Substitutes of a term: other spellings and synonyms. */
export interface Synonyms {
  readonly spellings: ReadonlySet<string>;
  readonly synonyms: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

let spellings: Map<string, Set<string>> | undefined;
let synonyms: Map<string, Set<string>> | undefined;

/** The substitutes of a stem or a pair of stems. The families are stemmed at the first query. */
export function synonymsOf(term: string): Synonyms {
  spellings ??= termFamilies(spellingFamilies);
  synonyms ??= termFamilies(synonymFamilies);
  return { spellings: spellings.get(term) ?? none, synonyms: synonyms.get(term) ?? none };
}

/** @param families a family of words that mean the same per line; `+` joins two words */
function termFamilies(families: string): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const family of families.trim().split(/\n\s*/)) {
    const members = family.split(/\s+/).map((member) => member.split("+"));
    const terms = new Set(members.flatMap((words) => (words.length === 1 ? words.map(stemTerm) : pairTerms(words))));
    for (const term of terms) {
      const others = all.get(term) ?? new Set();
      for (const other of terms) if (other !== term) others.add(other);
      all.set(term, others);
    }
  }
  return all;
}
