import { expect, test } from "vitest";
import { emptyStore } from "./pack.fixture.ts";
import { emptyStores } from "./stores.fixture.ts";
import { recallOfWorlds } from "./worlds.fixture.ts";

const facts = [
  "The staging database is restored every Sunday night.",
  "Mira owns the billing service.",
  "The staging cluster runs in eu-west-1.",
  "The office wifi password rotates monthly.",
  "Deploys freeze on Fridays.",
  "The printer needs the legacy driver.",
  "Ben prefers tea.",
  "Invoices are archived for ten years.",
];

test.each(["SQLite", "PostgreSQL"] as const)(
  "on %s, a fact is recalled by a question in other words",
  async (name) => {
    const stored = await emptyStores[name]();
    for (const text of facts) await stored.ask("memory_remember", { text });
    const first = async (query: string) =>
      (await stored.ask("memory_recall", { query })).split("\n").slice(0, 3).join("\n");
    expect(await first("when is the test db reset")).toContain(facts[0]);
    expect(await first("who is responsible for invoices")).toContain(facts[1]);
    expect(await first("what region are the servers in")).toContain(facts[2]);
    expect(await first("when does the wireless network key change")).toContain(facts[3]);
    await stored.end();
  },
  60_000,
);

test("in ten small worlds, most facts are among the first five answers to a question in other words", async () => {
  const ends: (() => Promise<void>)[] = [];
  const open = () => {
    const { store, remove } = emptyStore();
    ends.push(() => remove());
    return store;
  };
  const { otherWords, sharedWords, neverSaid } = await recallOfWorlds(open, "its facts");
  expect(otherWords.first).toBeGreaterThan(0.5);
  expect(otherWords.firstFive).toBeGreaterThan(0.84);
  expect(sharedWords.first).toBeGreaterThan(0.85);
  expect(sharedWords.firstFive).toBeGreaterThan(0.97);
  expect((otherWords.notKnown + sharedWords.notKnown) / 2).toBeLessThanOrEqual(0.03);
  // Most of these are answered with facts that are near; that they are weak is said of fewer facts that answer.
  expect(neverSaid.notKnown + neverSaid.doubted).toBeGreaterThan(0.75);
  expect((otherWords.doubted + sharedWords.doubted) / 2).toBeLessThan(0.56);
  for (const end of ends) await end();
}, 60_000);
