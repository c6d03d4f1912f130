/** A family of words that stand for one another; each member is one word, or two. */
export type Family = readonly (readonly string[])[];

/** Reads families as they are written: one per line; `+` joins two words. */
export function readFamilies(text: string): readonly Family[] {
  const lines = text.trim().split("\n");
  return lines.map((line) =>
    line
      .trim()
      .split(/\s+/)
      .map((member) => member.split("+")),
  );
}
