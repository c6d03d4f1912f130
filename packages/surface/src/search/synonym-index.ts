import { synonymFamilies } from "./synonyms.ts";
import { stemTerm } from "./terms.ts";

let families: Map<string, Set<string>> | undefined;

/** The stems that may stand in for a stem. The families are stemmed at the first query. */
export function synonymStems(stem: string): Iterable<string> {
  families ??= stemFamilies();
  return families.get(stem) ?? [];
}

function stemFamilies(): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const family of synonymFamilies) {
    const stems = new Set(family.map(stemTerm));
    for (const stem of stems) {
      const others = all.get(stem) ?? new Set();
      for (const other of stems) if (other !== stem) others.add(other);
      all.set(stem, others);
    }
  }
  return all;
}
