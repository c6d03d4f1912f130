import type { OwnedStore } from "@toolpacks/core";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { beforeEach, describe, expect, test } from "vitest";
import { memory } from "../memory.ts";
import { emptyStore } from "../pack.fixture.ts";
import { observation } from "./observation.ts";

let client: PackConnection;
let store: OwnedStore;
beforeEach(async () => {
  const { store: empty, remove } = emptyStore();
  store = empty;
  client = await connectPack(memory({ store }), "sdk 2, protocol 2026-07-28");
  return async () => {
    await client.close();
    await remove();
  };
});

const ask = async (name: string, args: Readonly<Record<string, unknown>>) =>
  resultText(await client.callTool(name, args));
const remember = async (...texts: readonly string[]) => {
  for (const text of texts) await ask("memory_remember", { text });
};
/** The lines of an answer, without ids. */
const recall = async (args: object) =>
  (await ask("memory_recall", { ...args })).split("\n").map((line) => line.replace(/^\w{16} /, ""));

describe("memory_recall with several words", () => {
  const team = "The platform team maintains the search service.";
  const logs = "The search service keeps 30 days of logs.";

  test.each([
    "search service team maintains",
    "which team maintains the search service?",
    "search service team",
    "who maintains the search service of the team?",
  ])("%s: shows the facts with all words first, then the others by the rarity of their words", async (query) => {
    await remember(logs, team, "The printer needs the legacy driver.", "The team has lunch at noon.");
    expect((await recall({ query })).slice(0, 2)).toEqual([team, logs]);
  });

  test("shows facts with all words first, up to the limit, also if facts with half of them are newer", async () => {
    await remember(team, ...Array.from({ length: 9 }, (_, at) => `The search service has replica ${at}.`));
    const lines = await recall({ query: "search service team maintains" });
    expect(lines).toEqual([team, ...Array.from({ length: 4 }, () => expect.stringContaining("replica")), "(5 of 10)"]);
    expect(await recall({ query: "search service team maintains", limit: 1 })).toEqual([team, "(1 of 10)"]);
  });
});

describe("memory_recall ranks", () => {
  const others = Array.from({ length: 12 }, (_, at) => `Ben tidied shelf ${at} in the workshop.`);

  test("an observation first whose other words mean what the question asks", async () => {
    const [physician, garage] = ["Anna saw her physician.", "Anna saw her garage."];
    await remember(physician, garage, ...others);
    expect((await recall({ query: "when did Anna visit the doctor?" }))[0]).toBe(physician);
  });

  test("an observation whose words stand after the first 2,000 characters of a long text", async () => {
    await remember(`${"filler ".repeat(600)} the parrot sings at dawn`, "The parrot is green.", ...others);
    expect((await recall({ query: "when does the parrot sing at dawn?" }))[0]).toContain("sings at dawn");
  });

  test("a page full of observations with any of the words after the ones with all of them", async () => {
    await remember("Anna repaired the blue kettle.", "The kettle leaks.", "A blue door.", "Anna moved.", ...others);
    expect(await recall({ query: "Did Anna repair the blue kettle?" })).toHaveLength(4);
  });

  test("an observation higher if the one before it from the same source matches, too", async () => {
    const chat = async (text: string, source: string) => ask("memory_remember", { text, source });
    await chat("Which kettle did Anna repair?", "chat 1");
    await chat("The kettle from the attic.", "chat 1");
    await remember(...others);
    await chat("Anna repaired a kettle.", "chat 2");
    await chat("The kettle from the cellar.", "chat 3");
    const lines = await recall({ query: "which kettle did Anna repair?" });
    const place = (where: string) => lines.findIndex((line) => line.includes(where));
    expect(place("attic")).toBeGreaterThanOrEqual(0);
    expect(place("attic")).toBeLessThan(place("cellar"));
  });

  test.each(["in May 2025", "on 3 May", "on May 3rd", "on 2025-05-03"])(
    "by a date in the question: %s",
    async (date) => {
      for (const [at, month] of ["02", "05", "09"].entries()) {
        const text = `Release number ${at} went out.`;
        await client.callTool("memory_remember", { text });
        const { items } = await store.query(observation, { text, match: "all" });
        await store.put(observation, { since: `2025-${month}-03T10:00:00Z` }, { id: items[0]?.id ?? "", patch: true });
      }
      expect((await recall({ query: `Which release went out ${date}?` }))[0]).toContain("Release number 1");
    },
  );

  test("and says so if the best observation has few of the question's words", async () => {
    await remember("The workshop opens at nine.", ...others);
    const last = async (query: string) => (await recall({ query })).at(-1);
    expect(await last("which airline flies from Lisbon to the workshop in Nairobi?")).toMatch(/^Only weak matches/);
    expect(await last("how many hydrogen atoms has ethanol?")).toMatch(/^Nothing is known/);
    expect(await last("when does the workshop open?")).toMatch(/^\(5 of/);
  });
});

describe("an entity that does not exist", () => {
  const facts = ["The build machine is called anvil.", "Anvil is rebooted on Sundays."];

  test.each(["memory_graph", "memory_recall"])("%s shows the observations that name it", async (tool) => {
    await remember(...facts, "The printer needs the legacy driver.");
    const answer = await client.callTool(tool, { entity: "anvil", ...(tool === "memory_recall" && { query: "" }) });
    expect(answer.isError ?? false).toBe(false);
    const lines = resultText(answer).split("\n");
    expect(lines.slice(0, 2).map((line) => line.replace(/^\w{16} /, ""))).toEqual(expect.arrayContaining(facts));
    expect(lines.slice(2)).toEqual(['There is no entity "anvil"; 2 observations name it.']);
  });

  test("memory_recall ranks the observations that name it by the query", async () => {
    await remember(...facts);
    expect(await recall({ query: "build machine", entity: "anvil", limit: 1 })).toEqual([
      facts[0],
      "(1 of 2)",
      'There is no entity "anvil"; 2 observations name it.',
    ]);
    expect(await recall({ query: "build", entity: "anvil", tags: ["x"] })).toEqual([
      'There is no entity "anvil", and no observation names it.',
    ]);
  });

  test.each(["memory_graph", "memory_recall"])("%s suggests a similar name for a typo", async (tool) => {
    await ask("memory_remember", { entity: "anvil", observations: ["Is rebooted on Sundays."] });
    const answer = await client.callTool(tool, { entity: "anvl", ...(tool === "memory_recall" && { query: "boot" }) });
    expect(answer.isError ?? false).toBe(false);
    expect(resultText(answer)).toBe('There is no entity "anvl", and no observation names it. Did you mean "anvil"?');
  });

  test("memory_forget and memory_link fail, and suggest a similar name", async () => {
    await ask("memory_remember", { entity: "anvil" });
    for (const [tool, args] of [
      ["memory_forget", { entity: "anvl" }],
      ["memory_link", { from: "anvil", type: "is", to: "anvl" }],
    ] as const) {
      expect(await ask(tool, args)).toMatch(/^not_found: \w+: there is no entity "anvl"\nDid you mean "anvil"\?$/);
    }
    expect(await ask("memory_forget", { entity: "Zoe" })).toMatch(
      /\nmemory_recall finds the observations that name it\.$/,
    );
  });

  test("a name without letters is answered, too", async () => {
    await remember(...facts);
    expect(await ask("memory_graph", { entity: "???" })).toBe('There is no entity "???", and no observation names it.');
  });
});

test("hidden characters are shown escaped, and are kept in the record", async () => {
  const text = "\u202Eright to left\u202C \u200Band hidden";
  const hidden = /[\u200B\u202C\u202E]/;
  const first = await ask("memory_remember", { entity: "x", observations: [text] });
  const id = /^(\w{16}) /m.exec(first)?.[1] ?? "";
  const answers = [
    first,
    await ask("memory_recall", { query: "right to left" }),
    await ask("memory_graph", { entity: "x" }),
    await ask("memory_remember", { text: `${text} too`, about: ["x"] }),
    await ask("memory_remember", { text: "left to right", about: ["x"], supersedes: id }),
    await ask("memory_recall", { query: "left to right", history: true }),
    await ask("memory_graph", { entity: `${text} hidden` }),
    await ask("state_save", { name: "s", memory: text, goal: text, next: [text] }),
    await ask("state_list", {}),
    await ask("state_load", { name: "s" }),
    await ask("workspace_update", { name: "default", purpose: text }),
    await ask("workspace_list", {}),
    await ask("workspace_load", {}),
  ];
  for (const answer of answers) expect(answer).not.toMatch(hidden);
  expect(answers[1]).toContain(String.raw`\u202eright to left\u202c \u200band hidden`);
  const { structuredContent } = await client.callTool("state_load", { name: "s" });
  expect(structuredContent).toMatchObject({ memory: text, goal: text });
});
