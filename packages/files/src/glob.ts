import { ToolError } from "@toolpacks/core";
import { compilePath, type PathTest } from "./path-pattern.ts";

/** Maximum number of patterns after the braces of a glob are expanded. */
const maxAlternatives = 500;
const maxLength = 1_000;

/**
 * Compiles a glob with `*`, `?`, `[a-z]`, `**` for folders, `{a,b}`, and `!` at the start for negation. A glob without a slash is tested against the
 * name only. The time of a test is limited by the lengths of glob and path.
 *
 * @param field the name of the argument, for errors
 * @throws ToolError `invalid_input` for an invalid glob and for an extended glob such as `+(a)`
 */
export function compileGlob(glob: string, field: string): (path: string) => boolean {
  const refuse = (problem: string, hint?: string) =>
    new ToolError("invalid_input", `${field}: ${glob}: ${problem}`, hint);
  if (glob.length > maxLength)
    throw new ToolError("invalid_input", `${field}: expected at most ${maxLength} characters`);
  const extended = findExtended(glob);
  if (extended !== undefined) {
    throw refuse(
      `${extended} begins an extended glob, which is not supported`,
      "Write alternatives as {a,b}, and a parenthesis as \\(.",
    );
  }
  const isNegated = glob.startsWith("!");
  const written = (isNegated ? glob.slice(1) : glob).replace(/^(?:\.\/)+/, "");
  const isName = !written.includes("/");
  const tests = expandBraces(written.replace(/^\//, "").replace(/\/$/, "/**"), refuse).map((pattern): PathTest => {
    const test = compilePath(pattern);
    if (test === undefined)
      throw refuse("a character class has no end or a wrong range, or an escape has no character");
    return test;
  });
  return (path) => {
    const tested = isName ? path.slice(path.lastIndexOf("/") + 1) : path;
    return tests.some((test) => test(tested)) !== isNegated;
  };
}

function findExtended(glob: string): string | undefined {
  for (const { 0: token } of glob.matchAll(/\\.|\[[!^]?\]?[^\]]*\]|[@?+*!]\(/gs))
    if (token.endsWith("(") && !token.startsWith("\\")) return token;
  return undefined;
}

function expandBraces(glob: string, refuse: (problem: string) => ToolError): readonly string[] {
  /** The complete alternatives and the current one of each open brace. The first entry is the glob itself. */
  const open: { done: string[]; current: string[] }[] = [{ done: [], current: [""] }];
  const append = (ends: readonly string[]) => {
    const top = open.at(-1);
    if (top === undefined) return;
    if (top.current.length * ends.length + top.done.length > maxAlternatives) {
      throw refuse(`expected at most ${maxAlternatives} alternatives`);
    }
    top.current = top.current.flatMap((start) => ends.map((end) => start + end));
  };
  for (const { 0: token } of glob.matchAll(/\\.|\[[!^]?\]?[^\]]*\]|[{},]|[^\\[{},]+|[\\[]/gs)) {
    const top = open.at(-1);
    if (token === "{") open.push({ done: [], current: [""] });
    else if (token === "," && open.length > 1 && top !== undefined) {
      top.done.push(...top.current);
      top.current = [""];
    } else if (token === "}") {
      if (open.length === 1 || top === undefined) throw refuse("unopened alternate group; write a brace as \\}");
      open.pop();
      append([...top.done, ...top.current]);
    } else append([token]);
  }
  if (open.length > 1) throw refuse("unclosed alternate group; write a brace as \\{");
  return open[0]?.current ?? [];
}
