import { rmSync } from "node:fs";
import path from "node:path";
import { createCatalog, createDispatcher, type Store } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { memory } from "../memory.ts";
import { conversation, emptyStore, type Conversation } from "../pack.fixture.ts";
import { entity } from "./entity.ts";
import { observation } from "./observation.ts";

let talk: Conversation;
beforeEach(() => {
  talk = conversation();
  return () => talk.end();
});
const ask: Conversation["ask"] = (...call) => talk.ask(...call);

/** The id at the beginning of a result line. */
const idIn = (answer: string) => /^(\w{16}) /m.exec(answer)?.[1] ?? "";
const today = new Date().toISOString().slice(0, 10);

describe("memory_remember", () => {
  test("stores a text, and creates the entities that it is about", async () => {
    const answer = await ask("memory_remember", { text: "Anna owns billing.", about: ["Anna"], tags: ["team"] });
    expect(answer).toMatch(/^\w{16} Anna owns billing\.$/);
    expect(await ask("memory_recall", { query: "who owns billing?" })).toBe(
      `${idIn(answer)} Anna owns billing. (#team)`,
    );
    expect(await ask("memory_graph", { entity: "anna" })).toBe("Anna: Anna owns billing.");
  });

  test("stores an entity with observations, and adds to it later", async () => {
    const args = { entity: "billing-api", type: "service", observations: ["Written in Go.", "Runs in Oslo."] };
    expect(await ask("memory_remember", args)).toMatch(
      /^entity billing-api, new\n\w{16} Written in Go\.\n\w{16} Runs in Oslo\.$/,
    );
    const later = await ask("memory_remember", {
      entity: "Billing-API",
      observations: ["Has 3 replicas."],
      tags: ["x"],
    });
    expect(later).toMatch(/^entity billing-api\n\w{16} Has 3 replicas\.$/);
    expect(await ask("memory_graph", { entity: "billing-api" })).toBe(
      "billing-api (service): Has 3 replicas. | Runs in Oslo. | Written in Go.",
    );
  });

  test("reports a known observation, and merges tags and source into it", async () => {
    const first = await ask("memory_remember", { text: "Deploys freeze on Fridays.", tags: ["a"] });
    const again = await ask("memory_remember", { text: "deploys FREEZE on fridays", tags: ["b"], source: "runbook" });
    expect(again).toBe(`${idIn(first)} deploys FREEZE on fridays (was known)`);
    expect(await ask("memory_recall", { query: "freeze", tags: ["a", "b"] })).toContain("Deploys freeze on Fridays.");
    expect(await ask("memory_recall", { query: "freeze" })).toMatch(/^.*#a #b.*$/);
  });

  test("shows similar observations, and supersedes one on request", async () => {
    const old = idIn(await ask("memory_remember", { text: "Anna works in the Lund office.", about: ["Anna"] }));
    const newer = await ask("memory_remember", { text: "Anna works in the Oslo office.", about: ["Anna"] });
    expect(newer).toContain(`  similar: ${old} Anna works in the Lund office.\nWhere a similar one no longer holds`);
    await ask("memory_forget", { id: idIn(newer), permanent: true });

    const current = await ask("memory_remember", { text: "Anna works in Oslo.", about: ["Anna"], supersedes: old });
    expect(current).toContain("(supersedes: Anna works in the Lund office.)");
    expect(await ask("memory_recall", { query: "where does Anna work?" })).toBe(`${idIn(current)} Anna works in Oslo.`);
    const whole = await ask("memory_recall", { query: "where does Anna work?", history: true });
    expect(whole.split("\n")).toHaveLength(2);
    expect(whole).toContain(`${idIn(current)} Anna works in Oslo. (was: Anna works in the Lund office.)`);
    expect(whole).toContain(`${old} Anna works in the Lund office. (no longer since ${today})`);
  });

  test("rejects superseding a missing observation, or one twice", async () => {
    const put = (text: string, supersedes: string) => ask("memory_remember", { text, supersedes });
    expect(await put("a", "nowhere")).toMatch(/^not_found: supersedes: there is no other observation nowhere\n/);
    const first = idIn(await ask("memory_remember", { text: "one" }));
    const second = idIn(await put("two", first));
    expect(await put("three", first)).toMatch(new RegExp(`^conflict: supersedes: ${first} is superseded by ${second}`));
    expect((await talk.store.query(observation)).total).toBe(1);
  });

  describe("superseding with a known observation", () => {
    const since = "2026-01-02T03:04:05.000Z";
    const known = { text: "Anna works in Oslo.", tags: ["a"], source: "interview", since };
    const recorded = async (id: string) => {
      const found = await talk.store.get(observation, id);
      if (found === undefined) throw new Error(`no observation ${id}`);
      const { written, ...data } = found.data;
      expect(written?.slice(0, 10)).toBe(today);
      return data;
    };

    test("merges it, and keeps its earlier fields", async () => {
      const { id } = await talk.store.put(observation, known);
      const old = idIn(await ask("memory_remember", { text: "Anna works in Lund." }));
      const args = { text: "anna works in OSLO", supersedes: old };
      const first = await ask("memory_remember", { ...args, tags: ["b"] });
      expect(first).toBe(`${id} anna works in OSLO (was known) (supersedes: Anna works in Lund.)`);
      const merged = { ...known, tags: ["a", "b"], supersedes: old, was: "Anna works in Lund." };
      expect(await recorded(id)).toEqual(merged);
      expect(await recorded(old)).toMatchObject({ supersededBy: id, until: expect.any(String) as string });
      expect(await ask("memory_remember", args)).toBe(first);
      expect(await recorded(id)).toEqual(merged);
      await ask("memory_remember", { ...args, source: "letter" });
      expect(await recorded(id)).toEqual({ ...merged, source: "letter" });
    });

    test("moves its link from the observation that it superseded, which stays history", async () => {
      const [first, second] = [
        await ask("memory_remember", { text: "Lund." }),
        await ask("memory_remember", { text: "Malmö." }),
      ];
      const { id } = await talk.store.put(observation, { ...known, supersedes: idIn(first) });
      const { until } = (await recorded(idIn(first))) ?? {};
      await ask("memory_remember", { text: known.text, supersedes: idIn(second) });
      expect(await recorded(id)).toEqual({ ...known, supersedes: idIn(second), was: "Malmö." });
      expect(await talk.store.get(observation, idIn(first))).toMatchObject({ closed: true, data: { until } });
      expect(await recorded(idIn(first))).not.toHaveProperty("supersededBy");
    });

    test("rejects superseding it with itself", async () => {
      const { id } = await talk.store.put(observation, known);
      expect(await ask("memory_remember", { text: known.text, supersedes: id })).toMatch(/^not_found: .*no other/);
      expect(await recorded(id)).toEqual(known);
    });
  });

  test("needs a text or an entity", async () => {
    expect(await ask("memory_remember", { tags: ["x"] })).toMatch(/^invalid_input: text: required, unless an entity/);
  });
});

describe("an observation that is closed", () => {
  const recorded = async (id: string) => (await talk.store.get(observation, id))?.data;

  test("keeps its end time through later puts, until it is reopened", async () => {
    const { id } = await talk.store.put(observation, { text: "The port is 80." });
    const { until } = (await talk.store.close(observation, id, "moved")).data;
    await talk.store.put(observation, { text: "The port was 80." }, { id });
    expect(await recorded(id)).toMatchObject({ text: "The port was 80.", until });
    await talk.store.put(observation, { until: null, note: "a guess" }, { id, patch: true });
    expect(await recorded(id)).toMatchObject({ until, note: "a guess" });
    await talk.store.put(observation, { note: null }, { id, patch: true });
    expect(await recorded(id)).not.toHaveProperty("note");
    await talk.store.reopen(observation, id);
    await talk.store.put(observation, { text: "The port is 80." }, { id });
    expect(await recorded(id)).not.toHaveProperty("until");
  });

  test("cannot supersede another, so that one observation of a chain stays open", async () => {
    const remember = async (text: string, supersedes?: string) =>
      idIn(await ask("memory_remember", { text, ...(supersedes !== undefined && { supersedes }) }));
    const first = await remember("one");
    const second = await remember("two", first);
    const third = await remember("three", second);
    const before = await talk.store.query(observation, { includeClosed: true });
    const put = talk.store.put(observation, { supersedes: third }, { id: first, patch: true });
    await expect(put).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`supersedes: ${first} is closed`) as string,
      hint: expect.stringMatching(/^Reopen it first/) as string,
    });
    expect((await talk.store.query(observation, { includeClosed: true })).items).toEqual(before.items);
    // Its link to the superseded observation stays, and may be repeated.
    await talk.store.put(observation, { text: "two, still", supersedes: first }, { id: second });
    expect(await recorded(second)).toMatchObject({ supersedes: first, supersededBy: third, was: "one" });
    await talk.store.reopen(observation, first);
    await talk.store.put(observation, { supersedes: third }, { id: first, patch: true });
    expect((await talk.store.query(observation)).items).toMatchObject([{ id: first, data: { was: "three" } }]);
  });
});

describe("memory_recall", () => {
  test("says since when a fact holds only if that is not the day of its writing", async () => {
    const text = "The harbour is closed.";
    const { id } = await talk.store.put(observation, { text, since: "2026-01-02T03:04:05Z" });
    expect(await ask("memory_recall", { query: "harbour" })).toBe(`${id} ${text} (since 2026-01-02)`);
    await talk.store.put(observation, { since: null }, { id, patch: true });
    expect(await ask("memory_recall", { query: "harbour" })).toBe(`${id} ${text}`);
    await talk.store.put(observation, { since: "2025-01-02T03:04:05Z" }, { id, patch: true });
    await talk.store.put(observation, { text: "The harbour is closed at night." }, { id, patch: true });
    expect(await ask("memory_recall", { query: "harbour" })).toContain("(since 2025-01-02)");
  });

  test("ranks by relevance, and filters by entity, tag and time", async () => {
    await ask("memory_remember", { entity: "Anna", observations: ["Prefers dark mode.", "Reviews the billing code."] });
    await ask("memory_remember", { entity: "Ben", observations: ["Prefers light mode in the editor."], tags: ["ui"] });
    await ask("memory_remember", { text: "Ben's editor is Emacs.", about: ["Ben"], tags: ["ui"] });
    const lines = async (args: object) => (await ask("memory_recall", args)).split("\n");
    expect((await lines({ query: "does Anna prefer a mode?" }))[0]).toMatch(/Prefers dark mode\. \(about Anna\)$/);
    expect(await lines({ query: "mode", entity: "ben" })).toEqual([expect.stringContaining("light mode")]);
    expect(await lines({ query: "Emacs mode", tags: ["ui"], limit: 1 })).toEqual([
      expect.stringContaining("Emacs"),
      "(1 of 2)",
    ]);
    expect(await lines({ query: "mode", until: "2020-01-01" })).toEqual([expect.stringMatching(/^Nothing is known/)]);
    expect(await lines({ query: "mode", since: today })).toHaveLength(2);
    expect(await lines({ query: "", limit: 2 })).toEqual([
      expect.stringContaining("Emacs"),
      expect.stringContaining("light mode"),
      "(2 of 4)",
    ]);
  });

  test("shows few of many observations, and a passage of a long text", async () => {
    for (let at = 0; at < 30; at += 1) await ask("memory_remember", { text: `Ticket ${at} is about the cache.` });
    const lines = (await ask("memory_recall", { query: "cache ticket" })).split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[5]).toBe("(5 of 30)");
    await ask("memory_remember", { text: `${"word ".repeat(2_000)} the needle is here ${"tail ".repeat(2_000)}` });
    const [passage = ""] = (await ask("memory_recall", { query: "needle" })).split("\n");
    expect(passage).toContain("the needle is here");
    expect(passage.length).toBeLessThan(400);
  });

  test("finds an entity without observations by its name", async () => {
    await ask("memory_remember", { entity: "Quasar", type: "project" });
    expect(await ask("memory_recall", { query: "what is quasar?" })).toBe(
      "quasar Quasar is known (project), only by its name.",
    );
  });

  test("names similar entities if the entity does not exist", async () => {
    await ask("memory_remember", { entity: "Anna Lindqvist" });
    expect(await ask("memory_recall", { query: "x", entity: "Ana Lindqvist" })).toBe(
      'There is no entity "Ana Lindqvist", and no observation names it. Did you mean "Anna Lindqvist"?',
    );
  });

  test("searches another workspace, or all, on request", async () => {
    await talk.store.in("other").put(observation, { text: "The other cache is warm." });
    await ask("memory_remember", { text: "This cache is cold." });
    expect(await ask("memory_recall", { query: "cache" })).not.toContain("warm");
    expect(await ask("memory_recall", { query: "cache", workspace: "other" })).toContain("warm");
    const all = await ask("memory_recall", { query: "cache", workspace: "*" });
    expect(all).toMatch(/warm.*in other/);
    expect(all).toMatch(/cold.*in default/);
    expect(await ask("memory_recall", { query: "cache", workspace: "othr" })).toMatch(
      /^not_found: workspace: there is no workspace "othr", did you mean other\?\nWorkspaces: default, other\./,
    );
  });
});

test("memory_recall writes nothing, also after the response", async () => {
  const { store, file, remove } = emptyStore();
  const dispatcher = createDispatcher(createCatalog({ packs: [memory({ store })] }));
  await dispatcher.dispatch({ name: "memory_remember", args: { text: "The cache is warm." }, context: {} });
  const generation = await store.generation();
  expect(await dispatcher.dispatch({ name: "memory_recall", args: { query: "cache" }, context: {} })).toMatchObject({
    text: expect.stringContaining("warm"),
  });
  await remove(false);
  const later = sqlite(file);
  expect(await later.generation()).toBe(generation);
  await later.end();
  rmSync(path.dirname(file), { recursive: true });
});

describe("memory_forget", () => {
  test("closes by default, and keeps the history", async () => {
    const id = idIn(await ask("memory_remember", { text: "A guess about Anna.", about: ["Anna"] }));
    expect(await ask("memory_forget", { id, note: "wrong" })).toBe(`forgotten: ${id}`);
    expect(await ask("memory_recall", { query: "guess" })).toMatch(/^Nothing is known/);
    expect(await ask("memory_recall", { query: "guess", history: true })).toContain("no longer since");
  });

  test("leaves no trace of a deleted observation, not even in the one that superseded it", async () => {
    const old = idIn(await ask("memory_remember", { text: "The code word is xyzzy." }));
    await ask("memory_remember", { text: "The code word was changed.", supersedes: old });
    await ask("memory_forget", { id: old, permanent: true });
    expect(await ask("memory_recall", { query: "code word", history: true })).not.toContain("xyzzy");
    const kept = await talk.store.query(observation, { includeClosed: true });
    expect(JSON.stringify(kept.items)).not.toContain("xyzzy");
  });

  test("leaves no trace of an observation that was reopened and then deleted", async () => {
    const old = idIn(await ask("memory_remember", { text: "The code word is xyzzy." }));
    const newer = idIn(await ask("memory_remember", { text: "The code word was changed.", supersedes: old }));
    await talk.store.reopen(observation, old);
    expect((await talk.store.get(observation, newer))?.data).not.toHaveProperty("supersedes");
    await ask("memory_forget", { id: old, permanent: true });
    expect(JSON.stringify(await talk.store.query(observation, { includeClosed: true }))).not.toMatch(
      new RegExp(`xyzzy|${old}`),
    );
  });

  test.each([
    ["unset", { supersedes: null }],
    ["changed", { supersedes: "other" }],
  ])("leaves no trace of an observation whose supersedes was %s later", async (_how, patch) => {
    const old = idIn(await ask("memory_remember", { text: "The code word is xyzzy." }));
    const newer = idIn(await ask("memory_remember", { text: "The code word was changed.", supersedes: old }));
    await talk.store.put(observation, { text: "The code is 1234." }, { id: "other" });
    await talk.store.put(observation, patch, { id: newer, patch: true });
    expect((await talk.store.get(observation, old))?.data).not.toHaveProperty("supersededBy");
    await ask("memory_forget", { id: old, permanent: true });
    expect(JSON.stringify(await talk.store.query(observation, { includeClosed: true }))).not.toMatch(
      new RegExp(`xyzzy|${old}`),
    );
  });

  test("leaves no trace of an observation that was replaced after it was superseded", async () => {
    const old = idIn(await ask("memory_remember", { text: "The code word is xyzzy." }));
    await ask("memory_remember", { text: "The code word was changed.", supersedes: old });
    await talk.store.put(observation, { text: "The code word is xyzzy, still." }, { id: old });
    await ask("memory_forget", { id: old, permanent: true });
    expect(JSON.stringify(await talk.store.query(observation, { includeClosed: true }))).not.toContain("xyzzy");
  });

  test("leaves no trace of an observation that is deleted with its entity", async () => {
    const old = idIn(await ask("memory_remember", { text: "Anna's code word is xyzzy.", about: ["Anna"] }));
    const args = { text: "Anna and Ben share a code word.", about: ["Anna", "Ben"], supersedes: old };
    const newer = idIn(await ask("memory_remember", args));
    await ask("memory_forget", { entity: "Anna", permanent: true });
    const { items } = await talk.store.query(observation, { includeClosed: true });
    expect(items).toMatchObject([{ id: newer, data: { text: args.text } }]);
    expect(JSON.stringify(items)).not.toMatch(new RegExp(`xyzzy|${old}`));
  });

  test("forgets an entity with its relations and the observations about it only", async () => {
    await ask("memory_remember", { entity: "Anna", observations: ["Likes tea."] });
    await ask("memory_remember", { entity: "Ben" });
    await ask("memory_remember", { text: "Anna and Ben share an office.", about: ["Anna", "Ben"] });
    await ask("memory_link", { from: "Anna", type: "knows", to: "Ben" });
    expect(await ask("memory_forget", { entity: "anna" })).toBe("forgotten: Anna");
    expect(await ask("memory_recall", { query: "tea" })).toMatch(/^Nothing/);
    expect(await ask("memory_graph", { entity: "Ben" })).toBe("Ben: Anna and Ben share an office.");
    expect(await ask("memory_graph", { entity: "Anna" })).toMatch(/any more: it was forgotten/);
    await ask("memory_remember", { entity: "Anna" });
    expect(await ask("memory_graph", { entity: "Anna" })).toBe("Anna: Anna and Ben share an office.");
    expect(await ask("memory_forget", { entity: "Anna", permanent: true })).toBe("forgotten for good: Anna");
    expect(await ask("memory_recall", { query: "tea", history: true })).toMatch(/^Nothing/);
  });

  test("reads few observations at a time when it forgets an entity, and keeps no texts in memory", async () => {
    await ask("memory_remember", { entity: "Anna", observations: ["Likes tea."] });
    await ask("memory_remember", { text: "Likes coffee.", about: ["Anna", "Ben"] });
    await ask("memory_link", { from: "Anna", type: "knows", to: "Ben" });
    const kept: object[] = [];
    const sizes: (number | undefined)[] = [];
    await talk.store.transaction(async (inside) => {
      const query: Store["query"] = async (kind, asked) => {
        const page = await inside.query(kind, asked);
        if (kind.name === observation.name) sizes.push(asked?.limit);
        kept.push(...page.items.map(({ data }) => data));
        return page;
      };
      const before = await inside.get(entity, "anna");
      const change = { id: "anna", before, after: { name: "Anna" }, closed: true, now: new Date().toISOString() };
      await entity.rule?.({ ...change, operation: "close", restores: false, store: { ...inside, query } });
    });
    expect(kept).toEqual([{ about: ["Anna"] }, { about: ["Anna", "Ben"] }, {}]);
    expect(sizes).toEqual([100]);
    expect((await talk.store.query(observation)).items).toMatchObject([{ data: { text: "Likes coffee." } }]);
  });

  test("requires either id or entity", async () => {
    expect(await ask("memory_forget", {})).toMatch(/^invalid_input: id: expected either id or entity/);
    expect(await ask("memory_forget", { id: "none" })).toMatch(
      /^not_found: id: there is no observation or episode "none"/,
    );
  });
});

describe("memory_link and memory_graph", () => {
  test("walk a neighbourhood with cycles, up to the limits", async () => {
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await ask("memory_remember", { entity: name });
    for (const [at, name] of names.entries())
      await ask("memory_link", { from: name, type: "next", to: names[(at + 1) % 5] });
    expect(await ask("memory_graph", { entity: "a" })).toBe("a\nb\ne\na -[next]-> b\ne -[next]-> a");
    const whole = await ask("memory_graph", { entity: "a", depth: 9 });
    expect(whole.split("\n")).toHaveLength(10);
    expect(await ask("memory_graph", { entity: "a", depth: 9, limit: 2 })).toMatch(
      /^a\nb\na -.*\n\(2 of 4 entities\)\n/,
    );
  });

  test("report an existing relation, and remove a relation", async () => {
    for (const name of ["a", "b"]) await ask("memory_remember", { entity: name });
    const link = { from: "a", type: "owns", to: "b" };
    expect(await ask("memory_link", link)).toBe("linked: a owns b");
    expect(await ask("memory_link", { ...link, to: "B" })).toBe("was linked: a owns b");
    expect(await ask("memory_link", { ...link, remove: true })).toBe("removed: a owns b");
    expect(await ask("memory_link", { ...link, remove: true })).toBe("was not linked: a owns b");
    expect(await ask("memory_link", link)).toBe("linked: a owns b");
    expect(await ask("memory_link", { ...link, to: "nobody" })).toMatch(/^not_found: to: there is no entity "nobody"/);
  });
});
