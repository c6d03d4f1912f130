import { expect, test } from "vitest";
import { expandVariables } from "./expand-variables.ts";

const environment = { TOKEN: "t", EMPTY: "" };

test("expandVariables replaces every form of variable that clients have, at any depth", () => {
  const block = { env: { A: "${TOKEN}", B: "x${env:TOKEN}y" }, args: ["${EMPTY:-none}", "${GONE:-}", "$TOKEN", 7] };
  expect(expandVariables(block, environment)).toEqual({ env: { A: "t", B: "xty" }, args: ["none", "", "$TOKEN", 7] });
});

test.each([
  ["${GONE}", "the environment variable GONE is not set"],
  ["${EMPTY}", "the environment variable EMPTY is not set"],
  ["${input:key}", "only an editor can ask for the input key"],
])("expandVariables names what is missing in %s", (text, why) => {
  expect(() => expandVariables([text], environment)).toThrow(why);
});
