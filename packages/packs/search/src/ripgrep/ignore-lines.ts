import { compileGlob } from "@toolpacks/core/roots";

/** Where an ignore file stands: in the directory that is searched or below it, or above it. */
export type IgnorePlace =
  /** The folders from the directory that is searched down to the file's own. */
  | { readonly below: readonly string[] }
  /** The folders from the file's own down to the directory that is searched. */
  | { readonly above: readonly string[] };

/** The rules of an ignore file, written so that they mean the same in a file that stands in the directory that is searched. */
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

/** What is left of a pattern once its start has matched the folders; more than one where `**` may match more or less of them. */
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

/** A rule holds no line break; `?` matches one. */
function escape(name: string): string {
  return name.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`).replaceAll(/[\n\r]/g, "?");
}
