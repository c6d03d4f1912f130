import type { Store } from "@toolpacks/core";
import { observation } from "./observation.ts";
import { isAlike, statementOf } from "./statement.ts";

const maxExamined = 50;
const maxShown = 3;

/** Finds observations about an entity that are similar to a new text, newest first. The new text may contradict them. */
export async function similarObservations(
  store: Store,
  { text, name }: { readonly text: string; readonly name: string },
  except: string,
) {
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
