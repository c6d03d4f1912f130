import { contentWords } from "./content-words.ts";

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
