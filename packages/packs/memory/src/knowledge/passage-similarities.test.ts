import type { ComparedText } from "@toolpacks/meaning";
import { expect, test } from "vitest";
import { passageSimilarities } from "./passage-similarities.ts";

const padding = Array.from({ length: 60 }, (_, at) => `Nothing happened on day ${at}.`);

test("a text is as similar as its most similar passage, wherever it stands", async () => {
  const seen: string[] = [];
  const compare = async (_: readonly string[], passages: readonly ComparedText[]) => {
    seen.push(...passages.flat());
    return Float64Array.from(passages.flat(), (passage) => (passage.includes("doctor") ? 0.9 : 0.1));
  };
  const texts = ["A doctor.", "A baker.", [...padding, "The doctor came."].join(" "), [...padding].join("\n"), ""];
  const [doctor = 0, ...others] =
    (await passageSimilarities(compare, { question: "who treats the ill?" }, texts)) ?? [];
  expect(others[1]).toBeCloseTo(doctor, 1);
  for (const at of [0, 2, 3]) expect(others[at]).toBeLessThan(doctor / 2);
  expect(Math.max(...seen.map(({ length }) => length))).toBeLessThanOrEqual(400);
  expect(seen.join(" ")).toContain("day 59.");
});

test("a text without ends of sentences is split, and of a very long one only the begin is compared", async () => {
  let lengths: readonly number[] = [];
  const compare = async (_: readonly string[], passages: readonly ComparedText[]) => {
    lengths = passages.map(({ length }) => length);
    return new Float64Array(passages.length);
  };
  await passageSimilarities(compare, { question: "who?" }, [
    "x".repeat(5_000),
    "One sentence of a text. ".repeat(10_000),
  ]);
  expect(lengths.length).toBeLessThan(40);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(400);
});

test("without vectors there are no similarities", async () => {
  expect(await passageSimilarities(async () => undefined, { question: "who?" }, ["A doctor."])).toBeUndefined();
});
