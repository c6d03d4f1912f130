import { clip } from "@toolpacks/core";
import { cutWords } from "./signature.ts";

/** Maximum names of hits that a later group repeats. */
export const maxRepeated = 8;

const maxHeading = { words: 3, characters: 40 } as const;

/** The line before the hits of a query: its number and its first words. */
export function heading(query: string, at: number): string {
  const words = cutWords(query.slice(0, 1_000).replaceAll(/\s+/g, " ").trim(), maxHeading.words);
  return `${at + 1}. ${clip(words, maxHeading.characters)}`;
}

/** One group of an answer, as its structured form has it. */
interface ShownGroup {
  readonly query: string;
  readonly hits: readonly number[];
  readonly hint?: string | undefined;
}

/** Renders the hits of several queries. A hit of an earlier query is only named. @param mark begins the lines that are no hits */
export function renderGroups(
  groups: readonly ShownGroup[],
  items: readonly { readonly name: string; readonly signature: string }[],
  mark = "",
): readonly string[] {
  const shown = new Set<number>();
  return groups.flatMap(({ query, hits, hint }, at) => {
    const repeated = hits.filter((place) => shown.has(place));
    const lines = hits.filter((place) => !shown.has(place)).map((place) => items[place]?.signature ?? "");
    const names = repeated.slice(0, maxRepeated).map((place) => items[place]?.name);
    const see = names.length === 0 ? [] : [`${mark}see above: ${[...new Set(names)].join(", ")}`];
    const isBestRepeated = hits[0] !== undefined && shown.has(hits[0]);
    for (const place of hits) shown.add(place);
    return [
      `${mark}${heading(query, at)}`,
      ...(isBestRepeated ? [...see, ...lines] : [...lines, ...see]),
      ...(hint === undefined ? [] : [`${mark}${hint}`]),
    ];
  });
}
