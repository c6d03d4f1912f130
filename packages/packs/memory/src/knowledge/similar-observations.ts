import type { Store } from "@toolpacks/core";
import { observation } from "./observation.ts";
import { isAlike, statementOf } from "./statement.ts";

const maxExamined = 50;
const maxShown = 3;

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
    limit: maxExamined,
    skipDamaged: true,
  });
  const wanted = statementOf(text, [name]);
  return known.items
    .filter(({ id, data }) => id !== except && isAlike(wanted, statementOf(data.text, [name])))
    .slice(0, maxShown)
    .map(({ id, data }) => ({ id, text: data.text }));
}
