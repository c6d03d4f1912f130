import { defineKind, type Query } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { StoreUnderTest } from "../store-place.ts";
import { task } from "../task-kind.ts";

/** Full text: matches, their order, and texts that look like operators. */
export function textTests({ fresh }: StoreUnderTest): void {
  describe("finds", () => {
    test.each([
      ["a word in any case", "The LOGIN page", "login"],
      ["all words in any order", "Fix the login page", "page fix"],
      ["words of different fields", "Fix it", "fix urgent"],
      ["other forms of an English word", "Connections are dropped", "connection drop"],
      ["a word with other accents", "Café in Zürich", "cafe zurich"],
      ["a word with accents in the query", "Cafe in Zurich", "Café Zürich"],
      ["numbers and versions", "Upgrade to 2.10.3", "2.10.3"],
      ["Cyrillic", "Исправить ошибку", "ошибку"],
      ["Chinese without spaces", "修复登录页面的错误", "登录"],
      ["Japanese", "ログインページを修正する", "修正"],
      ["Thai", "ฉันกินข้าวที่บ้าน", "กิน"],
      ["another word of Thai", "ฉันกินข้าวที่บ้าน", "ข้าว"],
      ["Hindi, only whole words", "मैं हिन्दी बोलता हूँ", "हिन्दी"],
      ["Bengali", "আমি বাংলা বলি", "বাংলা"],
      ["emoji", "Ship it 🚀", "🚀"],
      ["parts of an identifier", "calls user_name-of(x)", "user name"],
    ])("%s", async (_, title, text) => {
      const store = fresh();
      await store.put(task, { title, labels: ["urgent"] }, { id: "a" });
      await store.put(task, { title: "quite unrelated" }, { id: "b" });
      expect((await store.query(task, { text })).items.map(({ id }) => id)).toEqual(["a"]);
      expect((await store.query(task, { text: "ह" })).total).toBe(0);
    });
  });

  test.each([
    '"',
    "a AND",
    "NEAR(x y)",
    "title: x",
    "x*",
    "^x",
    "-x",
    "x OR",
    "(x",
    "{x}",
    "x:*",
    "!x & |",
    "'x'",
    "\\x",
    "x <-> y",
  ])("%s is text, not an operator", async (text) => {
    const store = fresh();
    await store.put(task, { title: `mentions ${text} and or near x y a title` }, { id: "a" });
    await store.put(task, { title: "other" }, { id: "b" });
    const found = await store.query(task, { text: `${text} mentions` });
    expect(found.items.map(({ id }) => id)).toEqual(["a"]);
  });

  test("ranks the record first that has the words most often", async () => {
    const store = fresh();
    await store.put(
      task,
      { title: "many other words about other things", body: "and once the invoice" },
      { id: "once" },
    );
    await store.put(task, { title: "invoice", body: "the invoice of March" }, { id: "about" });
    await store.put(task, { title: "nothing" }, { id: "none" });
    expect((await store.query(task, { text: "invoice" })).items.map(({ id }) => id)).toEqual(["about", "once"]);
  });

  test("with match any, finds records with some of the words, and ranks records with more words first", async () => {
    const store = fresh();
    await store.put(task, { title: "red apple" }, { id: "one" });
    await store.put(task, { title: "red green apple" }, { id: "two" });
    await store.put(task, { title: "blue" }, { id: "none" });
    const { items, total } = await store.query(task, { text: "green apple tree", match: "any" });
    expect([items.map(({ id }) => id), total]).toEqual([["two", "one"], 2]);
    expect((await store.query(task, { text: "green apple tree" })).total).toBe(0);
  });

  test("and array items follow each change of a record", async () => {
    const store = fresh();
    await store.put(task, { title: "first", body: "below", labels: ["x", "y"] }, { id: "a" });
    await store.put(task, { priority: 1 }, { id: "a", patch: true });
    await store.put(task, { title: "second" }, { id: "a", patch: true });
    await store.close(task, "a");
    await store.reopen(task, "a");
    const count = async (query: Query) => (await store.query(task, query)).total;
    expect(await Promise.all(["first", "second", "below"].map((text) => count({ text })))).toEqual([0, 1, 1]);
    expect(await count({ filter: { labels: { contains: "y" } } })).toBe(1);
    await store.put(task, { labels: ["y", "z"] }, { id: "a", patch: true });
    const found = ["x", "y", "z"].map((label) => count({ filter: { labels: { contains: label } } }));
    expect(await Promise.all(found)).toEqual([0, 1, 1]);
    expect(await Promise.all(["x", "z", "second"].map((text) => count({ text })))).toEqual([0, 1, 1]);
  });

  test("covers the text fields of all versions of a kind", async () => {
    const version = (text: readonly string[]) =>
      defineKind({ name: "contract_text", schema: z.object({ a: z.string(), b: z.string() }), text });
    const [older, newer] = [version(["a"]), version(["a", "b"])];
    const store = fresh();
    await store.put(older, { a: "one", b: "uno" });
    await store.put(newer, { a: "two", b: "due" });
    await store.query(older, { text: "one" });
    expect((await store.query(newer, { text: "uno" })).total).toBe(1);
    expect((await store.query(newer, { text: "due" })).total).toBe(1);
  });
}
