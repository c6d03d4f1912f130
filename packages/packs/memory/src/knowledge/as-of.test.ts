import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyStores, type ConnectedStore } from "../stores.fixture.ts";
import { observation } from "./observation.ts";

const today = new Date().toISOString().slice(0, 10);

describe.each(["SQLite", "PostgreSQL"] as const)("memory_recall with asOf on %s", (driver) => {
  let stored: ConnectedStore;
  const recall = (args: object) => stored.ask("memory_recall", { query: "where does Anna work?", ...args });

  beforeAll(async () => {
    stored = await emptyStores[driver]();
    const { store } = stored;
    const about = ["Anna"];
    await store.put(observation, { text: "Anna works in Lund.", about, since: "2026-01-10T08:00:00Z" }, { id: "lund" });
    const oslo = { text: "Anna works in Oslo.", about, since: "2026-03-01T00:00:00Z", supersedes: "lund" };
    await store.put(observation, oslo, { id: "oslo" });
    await store.put(observation, { text: "Anna works in Rome.", about, supersedes: "oslo" }, { id: "rome" });
    await store.put(observation, { text: "Anna works at night.", since: "2026-02-01T00:00:00Z" }, { id: "night" });
    await store.close(observation, "night", "a guess");
  }, 120_000);
  afterAll(() => stored.end());

  test.each([
    ["2026-01-10T07:59:59Z", []],
    ["2026-01-09", []],
    // A date means its end.
    ["2026-01-10", ["lund Anna works in Lund. (2026-01-10; no longer since 2026-03-01)"]],
    ["2026-02-28T23:59:59Z", ["lund Anna works in Lund. (2026-01-10; no longer since 2026-03-01)", "night"]],
    ["2026-03-01T01:00:00+01:00", ["night", `oslo Anna works in Oslo. (2026-03-01; no longer since ${today})`]],
    ["2999-01-01", ["rome Anna works in Rome."]],
  ])("finds at %s only what held then, and since when", async (asOf, expected) => {
    // The order is the ranking's.
    const lines = (await recall({ asOf })).split("\n").toSorted();
    if (expected.length === 0) expect(lines).toEqual([expect.stringMatching(/^Nothing is known/)]);
    else expect(lines).toEqual(expected.map((line) => expect.stringContaining(line) as string));
  });

  test("finds the newest facts of that time without a question, and only those of an entity", async () => {
    const asOf = "2026-02-15";
    expect((await recall({ query: "", asOf })).split("\n")).toEqual([
      expect.stringMatching(/^night /),
      expect.stringMatching(/^lund /),
    ]);
    expect(await recall({ query: "", asOf, entity: "anna" })).toMatch(/^lund .*$/);
  });

  test("without asOf tells nothing that was superseded, and with history tells all of it", async () => {
    expect(await recall({})).toBe("rome Anna works in Rome.");
    const lines = (await recall({ history: true })).split("\n");
    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/^lund /),
      expect.stringMatching(/^night /),
      expect.stringMatching(/^oslo .*was: Anna works in Lund\./),
      "rome Anna works in Rome. (was: Anna works in Oslo.)",
    ]);
  });
});

describe("memory_recall", () => {
  let stored: ConnectedStore;
  beforeAll(async () => {
    stored = await emptyStores.SQLite();
  });
  afterAll(() => stored.end());

  test.each([
    [{ asOf: "2026-02-15", history: true }, /history: not allowed with asOf[\s\S]*Give asOf/],
    [{ asOf: "yesterday" }, /asOf: expected a date or an ISO 8601 time/],
    [{ asOf: "2026-02-31T25:00:00Z" }, /asOf: expected a date or an ISO 8601 time/],
  ])("refuses %j with the field named", async (args, message) => {
    expect(await stored.ask("memory_recall", { query: "x", ...args })).toMatch(message);
  });

  test("keeps the end of a fact at its closing if the newer one is older, as in a return to an earlier fact", async () => {
    const { store } = stored;
    await store.put(observation, { text: "Ben is in Bern.", since: "2026-05-01T00:00:00Z" }, { id: "bern" });
    await store.put(observation, { text: "Ben is in Bonn.", since: "2026-04-01T00:00:00Z", supersedes: "bern" });
    expect((await store.get(observation, "bern"))?.data.until?.slice(0, 10)).toBe(today);
    const asOf = await stored.ask("memory_recall", { query: "Ben", asOf: "2026-06-01" });
    expect(asOf.split("\n")).toHaveLength(2);
  });
});
