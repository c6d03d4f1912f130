import { compileGlob } from "@toolpacks/files";

/** The position of an ignore file relative to the searched directory. */
export type IgnorePlace =
  /** The folders from the searched directory down to the ignore file. */
  | { readonly below: readonly string[] }
  /** The folders from the ignore file down to the searched directory. */
  | { readonly above: readonly string[] };

/** A longer rule is left out, as in `fs_list`. */
const maxRuleLength = 1_000;

/** The work that all ignore files of one search may still take. */
export interface Budget {
  steps: number;
}

/** The cost of compiling a part of a rule, compared with a match. */
const stepsToCompile = 10;

interface Limits {
  /** Maximum length of the rewritten rules. A short rule may become many long ones. */
  readonly maxLength: number;
  readonly budget: Budget;
}

/**
 * Rewrites the rules of an ignore file so that they mean the same in a file in the searched directory.
 *
 * @returns undefined if that exceeds the limits
 */
export function ignoreLines(text: string, place: IgnorePlace, { maxLength, budget }: Limits): string | undefined {
  const context = { place, budget, tests: new Map<string, NameTest>() };
  let lines = "";
  for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
    budget.steps -= 1;
    for (const rule of moveRule(line.replace(/\r$/, ""), context)) lines += `${rule}\n`;
    if (budget.steps < 0 || lines.length > maxLength) return undefined;
  }
  return lines;
}

type NameTest = (name: string) => boolean;

interface Context {
  readonly place: IgnorePlace;
  readonly budget: Budget;
  /** Compiled parts of rules. */
  readonly tests: Map<string, NameTest>;
}

function moveRule(line: string, context: Context): readonly string[] {
  const { place } = context;
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
  const rests = isName ? [["**", ...parts]] : restsBelow(parts, place.above, context);
  return rests.map((rest) => `${sign}/${rest.join("/")}${end}`);
}

/** The rest of a pattern after its start matches the folders. There are several rests if `**` can match different numbers of folders. */
function restsBelow(
  pattern: readonly string[],
  folders: readonly string[],
  context: Context,
): readonly (readonly string[])[] {
  let positions = reached(pattern, [0]);
  for (const folder of folders) {
    if (positions.length === 0) return [];
    context.budget.steps -= positions.length;
    const next = positions.flatMap((at) => {
      const part = pattern[at];
      if (part === "**") return [at];
      return part !== undefined && nameTest(part, context)(folder) ? [at + 1] : [];
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

function nameTest(pattern: string, { budget, tests }: Context): NameTest {
  const known = tests.get(pattern);
  if (known !== undefined) return known;
  budget.steps -= stepsToCompile;
  const test = compileName(pattern);
  tests.set(pattern, test);
  return test;
}

/** An invalid pattern matches no name. */
function compileName(pattern: string): NameTest {
  try {
    return compileGlob(pattern, "rule");
  } catch {
    return () => false;
  }
}

/** Escapes a name for a rule. A rule cannot contain a line break, so `?` stands for it. */
function escape(name: string): string {
  return name.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`).replaceAll(/[\n\r]/g, "?");
}
