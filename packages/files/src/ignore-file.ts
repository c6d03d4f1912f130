import { compilePath, literalName } from "./path-pattern.ts";

/** The rules of one `.gitignore`. */
export interface IgnoreFile {
  /**
   * Whether the last matching rule ignores an entry. Undefined if no rule matches.
   *
   * @param relative the path below the file's folder, with `/`
   */
  ignores(relative: string, isDirectory: boolean): boolean | undefined;
}

interface Rule {
  readonly order: number;
  readonly isNegated: boolean;
  readonly directoriesOnly: boolean;
  readonly test: (path: string, name: string) => boolean;
}

/** Maximum number of rules that are more than a name. They slow down every walk. */
const maxRules = 2_000;
const maxRuleLength = 1_000;

/** Parses a `.gitignore` like git. Of rules that are more than a name, the first 2,000 count. */
export function parseIgnoreFile(text: string): IgnoreFile {
  const byName = new Map<string, Rule[]>();
  const others: Rule[] = [];
  for (const [order, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    const rule = parseRule(line.replace(/\r$/, ""), order);
    if (rule === undefined) continue;
    if (rule.name !== undefined) byName.set(rule.name, [rule, ...stillRelevant(rule, byName.get(rule.name))]);
    else if (others.length < maxRules) others.push(rule);
  }
  others.reverse();
  return {
    ignores(relative, isDirectory) {
      const name = relative.slice(relative.lastIndexOf("/") + 1);
      const applies = (rule: Rule) => isDirectory || !rule.directoriesOnly;
      const named = byName.get(name)?.find(applies);
      const other = others.find(
        (rule) => (named !== undefined && rule.order < named.order) || (applies(rule) && rule.test(relative, name)),
      );
      const last = other !== undefined && (named === undefined || other.order > named.order) ? other : named;
      return last === undefined ? undefined : !last.isNegated;
    },
  };
}

/** The earlier rules of a name that still matter after a new one: rules for files, if the new rule is for directories only. */
function stillRelevant({ directoriesOnly }: Rule, rules: readonly Rule[] = []): readonly Rule[] {
  return directoriesOnly ? rules.filter((rule) => !rule.directoriesOnly) : [];
}

/** Removes trailing spaces that are not escaped. */
function trimSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    if (line[at] !== " " || line[at - 1] === "\\") end = at + 1;
  }
  return line.slice(0, end);
}

/** @returns undefined for a line without a rule; `name` is set if the rule is only the name of an entry */
function parseRule(line: string, order: number): (Rule & { readonly name?: string }) | undefined {
  if (line.startsWith("#")) return undefined;
  const trimmed = trimSpaces(line);
  const isNegated = trimmed.startsWith("!");
  const written = isNegated ? trimmed.slice(1) : trimmed;
  const directoriesOnly = written.endsWith("/");
  const pattern = directoriesOnly ? written.slice(0, -1) : written;
  if (pattern === "" || pattern.length > maxRuleLength) return undefined;
  const rule = { order, isNegated, directoriesOnly };
  if (pattern.includes("/")) {
    const test = compilePath(pattern.replace(/^\//, ""));
    return test && { ...rule, test };
  }
  const name = literalName(pattern);
  if (name !== undefined) return { ...rule, name, test: (_, entry) => entry === name };
  const test = compilePath(pattern);
  return test && { ...rule, test: (_, entry) => test(entry) };
}
