/** Endings of words, and what the base form can have in their place. */
const endings = Object.entries({ ies: ["y"], s: [""], es: [""], ed: [""], d: [""], ing: ["", "e"], ly: [""] });

/** The base form of a word that is in a map, such as `delete` for `deleted`. Undefined if the map has none. */
export function baseForm(word: string, map: ReadonlyMap<string, unknown>): string | undefined {
  for (const [ending, bases] of endings) {
    const form =
      word.endsWith(ending) && bases.map((base) => word.slice(0, -ending.length) + base).find((one) => map.has(one));
    if (form) return form;
  }
  return undefined;
}

/** What a map has for a word, or for its base form if it lacks the word. */
export function findForm<Value>(word: string, map: ReadonlyMap<string, Value>): Value | undefined {
  return map.get(word) ?? map.get(baseForm(word, map) ?? "");
}
