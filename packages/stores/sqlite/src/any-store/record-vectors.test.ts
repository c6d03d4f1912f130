import { defineKind } from "@toolpacks/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { freshStore } from "./fresh-store.fixture.ts";

const fact = defineKind({ name: "fact", schema: z.object({ text: z.string() }), text: ["text"], meaning: ["text"] });

/** Every text means the same. */
const embed = async (texts: readonly string[]) => texts.map(() => new Float32Array(384).fill(1));

test("a query waits 3 s for an embedder that does not answer, and then uses the next one", async () => {
  const silent = async (texts: readonly string[]) =>
    texts.includes("puppy") ? new Promise<never>(() => {}) : embed(texts);
  const meaning = [async () => ({ name: "silent", embed: silent }), async () => ({ name: "other", embed })];
  const store = freshStore({ meaning });
  await store.put(fact, { text: "The dog sleeps." });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const found = store.query(fact, { text: "puppy", match: "any" });
  await vi.waitUntil(() => vi.getTimerCount() > 0);
  await vi.advanceTimersByTimeAsync(3_000);
  expect((await found).items).toHaveLength(1);
});

test("in a small store, an embedder that has not yet made the only vector leaves the query to the next one", async () => {
  const never = async () => new Promise<never>(() => {});
  const meaning = [async () => ({ name: "slow", isSlow: true, embed: never }), async () => ({ name: "other", embed })];
  const store = freshStore({ meaning });
  await store.put(fact, { text: "The dog sleeps." });
  expect((await store.query(fact, { text: "puppy", match: "any" })).items).toHaveLength(1);
});
