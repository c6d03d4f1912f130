import { compileName, endOfClass, matchesSequence, star, type NameTest } from "./wildcard.ts";

/** Tests the parts of a path. */
export type PathTest = (parts: readonly string[]) => boolean;

/**
 * Compiles a pattern of a path. A part `**` matches any number of folders, and at the end everything below. The time of a test is at most
 * proportional to the product of both lengths.
 *
 * @returns undefined for a class or escape without an end
 */
export function compilePath(pattern: string): PathTest | undefined {
  const written = splitPattern(Array.from(pattern));
  if (written === undefined) return undefined;
  const elements: (NameTest | string | typeof star)[] = [];
  for (const part of written) {
    const element = part === "**" ? star : compileName(part);
    if (element === undefined) return undefined;
    if (element !== star || elements.at(-1) !== star) elements.push(element);
  }
  if (written.at(-1) === "**") elements.push(() => true);

  return (parts) =>
    matchesSequence<NameTest | string, string>(elements, parts, (element, part) =>
      typeof element === "string" ? element === part : element(part),
    );
}

/** Splits a pattern at its slashes. A slash in a character class does not split and matches nothing. */
function splitPattern(pattern: readonly string[]): readonly string[] | undefined {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === "[") {
      const end = endOfClass(pattern, at + 1);
      if (end === undefined) return undefined;
      at = end;
    } else if (pattern[at] === "\\" && pattern[at + 1] !== "/") at += 1;
    else if (pattern[at] === "/") {
      // An escaped slash is a slash.
      parts.push(pattern.slice(start, pattern[at - 1] === "\\" && at > start ? at - 1 : at).join(""));
      start = at + 1;
    }
  }
  return [...parts, pattern.slice(start).join("")];
}
