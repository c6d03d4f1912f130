import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTextComparer } from "@toolpacks/meaning";
import { expect, onTestFinished, test, vi } from "vitest";
import { minilm } from "./minilm.ts";

const texts = ["Whether to take an umbrella.", "Send a message to a channel.", "Play a song."];

test("finds the text with the nearest meaning, and keeps the vectors of texts for the next process", async () => {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "minilm-")), "vectors");
  onTestFinished(() => rmSync(path.dirname(folder), { recursive: true }));
  const warnings: string[] = [];
  const compare = createTextComparer({
    table: false,
    model: () => minilm({ folder }),
    onWarning: (text) => warnings.push(text),
  });
  // On a busy machine, the first comparisons end before the model is loaded.
  const found = await vi.waitUntil(() => compare(["is it going to rain"], texts), { timeout: 30_000 });
  expect(warnings).toEqual([]);
  expect(found?.indexOf(Math.max(...found))).toBe(0);
  const file = path.join(folder, "minilm-l6-v2.vectors");
  const { size, mode } = statSync(file);
  expect([size % (16 + 4 * 384), mode & 0o777]).toEqual([0, 0o600]);
  const [first] = await minilm().embed(texts);
  const [again] = await minilm({ folder }).embed(texts);
  expect(again).toEqual(first);
  expect(Math.hypot(...(first ?? []))).toBeCloseTo(1, 4);
  expect(statSync(file).size).toBe(size);
});

test("a question does not wait for many texts", async () => {
  const { embed } = minilm();
  const ended: string[] = [];
  const many = embed(Array.from({ length: 20 }, (_, at) => `song ${at}`));
  const one = embed(["a question"]);
  await Promise.all([many.then(() => ended.push("many")), one.then(() => ended.push("one"))]);
  expect(ended).toEqual(["one", "many"]);
});
