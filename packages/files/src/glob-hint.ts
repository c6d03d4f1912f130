import { quoteName } from "@toolpacks/core";

/** Explains why a glob may have found nothing: it repeats the folder that it is matched in. Undefined if none does. */
export function globHint(folder: string | undefined, globs: readonly string[] | undefined = []): string | undefined {
  const prefix = `${(folder ?? ".").replace(/^\.\//, "").replace(/\/+$/, "")}/`;
  const repeating = globs.find((glob) => glob.startsWith(prefix));
  if (repeating === undefined) return undefined;
  const shorter = quoteName(repeating.slice(prefix.length) || "**");
  return `No hits. A glob is matched below path: write ${shorter} in place of ${quoteName(repeating)}.`;
}
