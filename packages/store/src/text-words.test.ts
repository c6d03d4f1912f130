import { expect, test } from "vitest";
import { textWords } from "./text-words.ts";

const beginnings = ["", "a", "e", "y", "ey", "st", "dry", "deploy", "relat", "communi", "électri", "東京"];
const endings =
  `s es ed ing ly y ies ied eying ational tional ency izer bly ally ently ously ization ation ator alism iveness
  fulness ousness ality ivity bility logy icate ative alize icity ical ful ness ement eed ion e`.split(/\s+/);
const words = beginnings.flatMap((beginning) => endings.map((ending) => beginning + ending));

test("textWords reduces wanted words, whatever their ending, in a text whose other words do not matter", () => {
  const lost = words.filter((word) => {
    const found = textWords(`Beside ${word}, others.`, new Set(textWords(word)));
    return !textWords(word).every((stem) => found.includes(stem));
  });
  expect(lost).toEqual([]);
});

test("textWords leaves words unreduced that begin as no wanted word does", () => {
  expect(textWords("deployed services served dates", new Set(["servic"]))).toEqual([
    "deployed",
    "servic",
    "serv",
    "dates",
  ]);
});
