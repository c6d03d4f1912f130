import type { Store } from "@toolpacks/core";
import { contentWords } from "./content-words.ts";
import { observation } from "./observation.ts";

const mostLookedAt = 50;
const mostShown = 3;
const longestCompared = 500;

export interface SimilarObservation {
  readonly id: string;
  readonly text: string;
}

/** What is known about an entity in nearly the same words as a new text: that which it may contradict. Newest first. */
export async function similarObservations(
  store: Store,
  { text, name }: { readonly text: string; readonly name: string },
  except: string,
): Promise<readonly SimilarObservation[]> {
  const known = await store.query(observation, {
    filter: { about: { contains: name } },
    sort: ["-since"],
    limit: mostLookedAt,
  });
  const ofName = contentWords(name);
  const words = (of: string) =>
    new Set([...contentWords(of.slice(0, longestCompared))].filter((word) => !ofName.has(word)));
  const wanted = words(text);
  return known.items
    .filter(({ id, data }) => id !== except && isAlike(wanted, words(data.text)))
    .slice(0, mostShown)
    .map(({ id, data }) => ({ id, text: data.text }));
}

/** More than half of the words of the shorter one are in both. */
function isAlike(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const both = [...left].filter((word) => right.has(word)).length;
  return both > 0 && both * 2 >= Math.min(left.size, right.size);
}
