/** Words that mean the same. Each member is one word or two. */
export type Family = readonly (readonly string[])[];

/** Parses families: one per line; `+` joins two words. */
export function readFamilies(text: string): readonly Family[] {
  const lines = text.trim().split("\n");
  return lines.map((line) =>
    line
      .trim()
      .split(/\s+/)
      .map((member) => member.split("+")),
  );
}
