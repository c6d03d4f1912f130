import { contentWords } from "@toolpacks/store";
import type { Store } from "@toolpacks/core";
import { observation } from "./observation.ts";

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

const maxComparedLength = 500;

/** The stems of a text's words, without its entities' names. */
export type Statement = ReadonlySet<string>;

export function statementOf(text: string, names: readonly string[]): Statement {
  const ofNames = contentWords(names.join(" "));
  return new Set([...contentWords(text.slice(0, maxComparedLength))].filter((word) => !ofNames.has(word)));
}

/** Whether two statements are similar: at least half of the shorter one's words are in both. */
export function isAlike(left: Statement, right: Statement): boolean {
  const both = [...left].filter((word) => right.has(word)).length;
  return both > 0 && both * 2 >= Math.min(left.size, right.size);
}
