import { compileGlob } from "@toolpacks/core/roots";

/** The position of an ignore file relative to the searched directory. */
export type IgnorePlace =
  /** The folders from the searched directory down to the ignore file. */
  | { readonly below: readonly string[] }
  /** The folders from the ignore file down to the searched directory. */
  | { readonly above: readonly string[] };

/** Rewrites the rules of an ignore file so that they mean the same in a file in the searched directory. */
export function ignoreLines(text: string, place: IgnorePlace): string {
  return text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .flatMap((line) => moveRule(line.replace(/\r$/, ""), place))
    .map((line) => `${line}\n`)
    .join("");
}

function moveRule(line: string, place: IgnorePlace): readonly string[] {
  const rule = line.endsWith("\\ ") ? line : line.trimEnd();
  if (rule === "" || rule.startsWith("#")) return [];
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
  const withEmptyFolders = (positions: readonly number[]): readonly number[] => {
    const all = new Set(positions);
    for (const at of all) if (pattern[at] === "**") all.add(at + 1);
    return [...all];
  };
  let positions = withEmptyFolders([0]);
  for (const folder of folders) {
    positions = withEmptyFolders(
      positions.flatMap((at) => {
        const part = pattern[at];
        if (part === "**") return [at];
        return part !== undefined && matchesName(part, folder) ? [at + 1] : [];
      }),
    );
  }
  return positions.filter((at) => at < pattern.length).map((at) => pattern.slice(at));
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
