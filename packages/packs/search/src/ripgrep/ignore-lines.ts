import { compileGlob } from "@toolpacks/core/roots";

/** The position of an ignore file relative to the searched directory. */
export type IgnorePlace =
  /** The folders from the searched directory down to the ignore file. */
  | { readonly below: readonly string[] }
  /** The folders from the ignore file down to the searched directory. */
  | { readonly above: readonly string[] };

/** A longer rule is left out, as in `fs_list`. */
const maxRuleLength = 1_000;

/**
 * Rewrites the rules of an ignore file so that they mean the same in a file in the searched directory.
 *
 * @returns undefined if the rules would be longer than `maxLength` characters: a short rule may become many long ones
 */
export function ignoreLines(text: string, place: IgnorePlace, maxLength: number): string | undefined {
  let lines = "";
  for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
    for (const rule of moveRule(line.replace(/\r$/, ""), place)) lines += `${rule}\n`;
    if (lines.length > maxLength) return undefined;
  }
  return lines;
}

function moveRule(line: string, place: IgnorePlace): readonly string[] {
  const rule = line.endsWith("\\ ") ? line : line.trimEnd();
  if (rule === "" || rule.startsWith("#") || rule.length > maxRuleLength) return [];
  const sign = rule.startsWith("!") ? "!" : "";
  const written = rule.slice(sign.length);
  const end = written.endsWith("/") ? "/" : "";
  const pattern = written.slice(0, written.length - end.length);
  const isName = !pattern.includes("/");
  const parts = pattern.replace(/^\//, "").split("/");
  if ("below" in place) {
    const folders = place.below.map((name) => escape(name));
    return [`${sign}/${[...folders, ...(isName ? ["**"] : []), ...parts].join("/")}${end}`];
  }
  const rests = isName ? [["**", ...parts]] : restsBelow(parts, place.above);
  return rests.map((rest) => `${sign}/${rest.join("/")}${end}`);
}

/** The rest of a pattern after its start matches the folders. There are several rests if `**` can match different numbers of folders. */
function restsBelow(pattern: readonly string[], folders: readonly string[]): readonly (readonly string[])[] {
  let positions = reached(pattern, [0]);
  for (const folder of folders) {
    const next = positions.flatMap((at) => {
      const part = pattern[at];
      if (part === "**") return [at];
      return part !== undefined && matchesName(part, folder) ? [at + 1] : [];
    });
    positions = reached(pattern, next);
  }
  return positions.filter((at) => at < pattern.length).map((at) => pattern.slice(at));
}

/**
 * Adds the positions behind a `**` that matches no folder. The rest from the last `**` matches all that the rests from earlier positions match,
 * so those are left out.
 */
function reached(pattern: readonly string[], positions: readonly number[]): readonly number[] {
  const all = new Set(positions);
  for (const at of all) if (pattern[at] === "**") all.add(at + 1);
  const last = [...all].reduce((found, at) => (pattern[at] === "**" ? Math.max(found, at) : found), 0);
  return [...all].filter((at) => at >= last);
}

function matchesName(pattern: string, name: string): boolean {
  try {
    return compileGlob(pattern, "rule")(name);
  } catch {
    return false;
  }
}

/** Escapes a name for a rule. A rule cannot contain a line break, so `?` stands for it. */
function escape(name: string): string {
  return name.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`).replaceAll(/[\n\r]/g, "?");
}
