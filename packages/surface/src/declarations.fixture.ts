import { stripTypeScriptTypes } from "node:module";
import { expect } from "vitest";

/** The types that declarations are made of. */
const typeWords =
  /^(declare|const|tools|args|Promise|Record|string|number|boolean|object|any|unknown|null|true|false|\d+)$/;

/** Fails unless a text is declarations and comments, and nothing else. */
export function expectDeclarations(text: string): void {
  // Removes what is only a type. What escaped from a comment or a name would stay, or not parse.
  const left = stripTypeScriptTypes(text);
  expect(left.replaceAll(/^\/\/[^\r\u2028\u2029]*$/gm, "").trim()).toBe("");
  const types = text
    .replaceAll(/"(?:[^"\\]|\\.)*"\??:?|\/\*[^]*?\*\/|\/\/.*|[$\w]+\??: |[$\w]+\(/g, " ")
    .match(/[$\w]+/g);
  expect(types?.filter((word) => !typeWords.test(word))).toEqual([]);
}
