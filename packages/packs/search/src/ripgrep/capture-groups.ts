import { randomBytes } from "node:crypto";
import { clip } from "@toolpacks/core";

/** Maximum number of groups, and of characters of each. */
const maxGroups = 100;
const maxCharacters = 1_000;

/** Escapes, classes of characters, which may nest, and the beginnings of groups. `(?` without a name captures nothing. */
const tokens = /\\.|\[\^?\]?|\]|\((?:\?P?<(?<name>[^>]+)>|(?!\?))/gsu;

export type CaptureGroups = NonNullable<ReturnType<typeof captureGroups>>;

/** The capture groups of a pattern, which ripgrep reports as `replacement` of a match. `valuesOf` reads those with a text, by number and by name. */
export function captureGroups(pattern: string) {
  const keys: (readonly string[])[] = [];
  let classes = 0;
  for (const { 0: token, groups } of pattern.matchAll(tokens)) {
    if (token.startsWith("[")) classes += 1;
    else if (token === "]") classes = Math.max(0, classes - 1);
    else if (token.startsWith("(") && classes === 0 && keys.length < maxGroups)
      keys.push([String(keys.length + 1), groups?.["name"] ?? []].flat());
  }
  if (keys.length === 0) return undefined;
  // No file can know it, so that no text is taken for the end of a group.
  const separator = randomBytes(6).toString("base64url");
  return {
    replacement: keys.map(([number]) => `\${${number}}${separator}`).join(""),
    valuesOf(replaced: string): Record<string, string> {
      const values = replaced.split(separator).map((value) => clip(value, maxCharacters));
      const found = keys.flatMap((names, at) => names.map((name) => [name, values[at] ?? ""] as const));
      return Object.fromEntries(found.filter(([, value]) => value !== ""));
    },
  };
}
