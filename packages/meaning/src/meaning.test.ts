import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cosine } from "./text-vectors.ts";
import { loadMeaning, meaningOf, tableName } from "./meaning.ts";
import { readTable, writeTable } from "./word-table.ts";

const { vectorOf, nearness } = await loadMeaning();
const similarity = (one: string, other: string) => cosine(vectorOf(one), vectorOf(other));

describe("vectorOf", () => {
  test.each([
    ["will it rain tomorrow", "get the weather forecast", "play a song"],
    ["remove a file", "delete a document", "invite a user to the team"],
    ["what did the doctor say", "the physician advised rest", "we repaired the car"],
    ["how much does it cost", "the price of a product", "the color of the sky"],
    ["buy some bitcoin", "place an order for a cryptocurrency", "translate a sentence"],
  ])("puts %j nearer to %j than to %j", (text, similar, other) => {
    expect(similarity(text, similar)).toBeGreaterThan(similarity(text, other) + 0.1);
  });

  test("has length 1, and 0 for a text of unknown words", () => {
    expect(similarity("send a message", "send a message")).toBeCloseTo(1, 5);
    expect(vectorOf("qxyzzy 漢字")).toEqual(new Float32Array(384));
  });

  test("splits names", () => {
    expect(vectorOf("listPullRequests")).toEqual(vectorOf("list_pull_requests"));
  });

  test("makes the same digits on every machine", () => {
    const hash = createHash("sha256");
    for (const text of [
      "",
      "Send a message.",
      "list_pull_requests",
      "Anna's dog was ill last Saturday, and it rained.",
    ])
      hash.update(new Uint8Array(vectorOf(text).buffer));
    expect(hash.digest("hex")).toBe("505e2808fe47ba8257b7a3cfa7bf9eb95556be0ecc34cf3602d10145d5f93106");
  });
});

describe("nearness", () => {
  test("is greatest for the text that has words near to those of the question, beside whatever else", () => {
    const much = "We repainted the kitchen, and the price of the tickets went up in the autumn.";
    const [cost = 0, sky = 0, none] = nearness("how much does it cost", [much, "The sky is blue.", ""]);
    expect(cost).toBeGreaterThan(sky + 0.1);
    expect(none).toBeCloseTo(-1);
  });

  test("is 1 for the same words in any order, and 0 for a question of unknown words", () => {
    expect(nearness("send a message", ["a message was sent: send"])[0]).toBeCloseTo(1, 1);
    expect(nearness("qxyzzy", ["a message"])).toEqual(new Float64Array(1));
  });
});

const tableFile = path.join(import.meta.dirname, "../data/words.table");

test("the table has at most 2.5 MB", () => {
  expect(statSync(tableFile).size).toBeLessThan(2_500_000);
});

test("another table has another name, since stores keep its vectors by the name", () => {
  const hash = createHash("sha256").update(readFileSync(tableFile)).digest("hex");
  expect(`${tableName} ${hash.slice(0, 8)}`).toBe("words-3 637df6e2");
  expect(JSON.parse(readFileSync(tableFile.replace(".table", ".json"), "utf8"))).toMatchObject({ sha256: hash });
});

describe("a table", () => {
  const words = [
    { word: "hot", scale: 0.5, values: [1, 3, -1, -3, 1, 1, 1, 1] },
    { word: "cold", scale: 0.25, values: [-1, -3, 1, 3, 1, 1, 3, 1] },
    ...["box", "try", "make"].map((word, at) => ({ word, scale: 1, values: [3, 3, 3, 3, 1, 1, 1, 1].with(at, -1) })),
  ];
  const bytes = writeTable(words, 8);

  test("is read as it was written", () => {
    const small = meaningOf(readTable(bytes));
    expect(small.vectorOf("hot")).toEqual(
      Float32Array.from([1, 3, -1, -3, 1, 1, 1, 1], (value) => value / Math.sqrt(24)),
    );
    const sum = [0.25, 0.75, -0.25, -0.75, 0.75, 0.75, 1.25, 0.75];
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
    expect(small.vectorOf("hot and cold")).toEqual(Float32Array.from(sum, (value) => value / length));
  });

  test("has base forms for words that it lacks", () => {
    const small = meaningOf(readTable(bytes));
    expect(small.vectorOf("boxes tries, making notes")).toEqual(small.vectorOf("box try make"));
    for (const [word, form] of [
      ["box", "boxes"],
      ["box", "boxed"],
      ["try", "tries"],
      ["make", "making"],
      ["make", "makes"],
      ["hot", "hotly"],
    ])
      expect(small.vectorOf(form ?? "")).toEqual(small.vectorOf(word ?? ""));
  });

  test.each([
    ["empty", new Uint8Array()],
    ["cut", bytes.subarray(0, 20)],
    ["without its last word", bytes.subarray(0, bytes.length - 5)],
    ["of other bytes", new TextEncoder().encode("not a table of words at all")],
  ])("is refused if it is %s", (_, damaged) => {
    expect(() => readTable(damaged)).toThrow("the table of word vectors is damaged");
  });
});
