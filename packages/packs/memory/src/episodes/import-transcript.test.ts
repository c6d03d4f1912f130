import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { observation } from "../knowledge/observation.ts";
import { emptyStores, type ConnectedStore } from "../stores.fixture.ts";
import { episode, episodePart, everyEpisodePart } from "./episode.ts";
import { importTranscript } from "./import-transcript.ts";
import { claudeCodeSession, codexSession, jsonl, timeAt } from "./transcripts.fixture.ts";

describe.each(["SQLite", "PostgreSQL"] as const)("an imported session on %s", (driver) => {
  let stored: ConnectedStore;
  let id: string;
  const recall = (query: string, args: object = {}) => stored.ask("memory_recall", { query, ...args });

  beforeAll(async () => {
    stored = await emptyStores[driver]();
    const { user, says, calls, result } = claudeCodeSession();
    const records = [
      user("Why does the migration of orders fail?"),
      calls("toolu_1", "Bash", { command: "npm run migrate" }),
      result("toolu_1", "duplicate column", true),
      says("The column total exists already."),
    ];
    ({ id } = await importTranscript(stored.store, jsonl(records)));
    const { meta, message } = codexSession();
    await importTranscript(stored.store, jsonl([meta(), message("user", "Paint the harbour blue.")]));
  }, 120_000);
  afterAll(() => stored.end());

  test("is found by memory_recall, each part with its kind, client and date", async () => {
    expect((await recall("migration of orders")).split("\n")[0]).toBe(
      `${id}.1 asked: Why does the migration of orders fail? (episode of claude-code; 2027-01-31)`,
    );
    expect(await recall("npm migrate")).toContain(`${id}.2 called: Bash {"command":"npm run migrate"} → failed`);
    expect(await recall("harbour")).toMatch(/asked: Paint the harbour blue\. \(episode of codex; 2027-01-31\)/);
  });

  test("follows observations, and gives way to them where they answer as well", async () => {
    for (let at = 0; at < 6; at += 1) {
      await stored.ask("memory_remember", { text: `The column total of table ${at} exists.` });
    }
    const all = (await recall("column total exists")).split("\n");
    expect(all).toHaveLength(6);
    expect(all.join("\n")).not.toContain("episode");
    const better = (await recall("column total exists already")).split("\n");
    expect(better[4]).toContain(`${id}.3 answered: The column total exists already.`);
    expect(better[5]).toBe("(5 of 7)");
  });

  test("is found by other words in a place that no observation takes", async () => {
    const near = "Only weak matches: they may not answer the question.";
    const port = await recall("which hue has the pier?");
    expect(port).toContain("Paint the harbour blue. (episode of codex");
    expect(port.split("\n").at(-1)).toBe(near);
    expect(await recall("quantum chromodynamics")).toMatch(/^Nothing is known/);
  });

  test("obeys since, until and asOf, and has neither entities nor tags", async () => {
    expect(await recall("harbour", { since: "2027-02-01" })).toMatch(/^Nothing is known/);
    expect(await recall("harbour", { until: "2027-01-31" })).toMatch(/^Nothing is known/);
    expect(await recall("harbour", { asOf: timeAt(0) })).toMatch(/^Nothing is known/);
    expect(await recall("harbour", { asOf: "2027-01-31" })).toContain("Paint the harbour blue.");
    expect(await recall("harbour", { tags: ["paint"] })).toMatch(/^Nothing is known/);
  });

  test("may be cited by an observation, which recall shows", async () => {
    const cite = (text: string, cited: string) => stored.ask("memory_remember", { text, episode: cited });
    await cite("Zinc is cheap.", `${id}.3`);
    expect(await recall("zinc")).toMatch(new RegExp(`Zinc is cheap\\. \\(from episode ${id}\\.3\\)$`));
    await cite("zinc is cheap", id);
    expect(await recall("zinc")).toMatch(new RegExp(`from episode ${id}\\)$`));
    for (const missing of ["nowhere", `${id}.99`]) {
      expect(await cite("Tin is cheap.", missing)).toMatch(
        /^not_found: episode: there is no episode .*\nmemory_recall/,
      );
    }
    expect(await recall("tin")).not.toContain("Tin");
  });

  test("is found in all workspaces, with the workspace's name", async () => {
    const { meta, message } = codexSession("019cb655-0000-7080-b375-00000000000a");
    await importTranscript(stored.store.in("other"), jsonl([meta(), message("user", "Paint the lighthouse red.")]));
    expect(await recall("lighthouse")).toMatch(/^Nothing is known/);
    expect(await recall("lighthouse", { workspace: "*" })).toMatch(/lighthouse red\. \(episode of codex; .*in other\)/);
  });
});

describe("importTranscript", () => {
  let stored: ConnectedStore;
  beforeAll(async () => {
    stored = await emptyStores.SQLite();
  });
  afterAll(() => stored.end());
  const load = (records: readonly unknown[]) => importTranscript(stored.store, jsonl(records));
  const texts = (id: string) => Array.fromAsync(everyEpisodePart(stored.store, id), ({ data }) => data.text);

  test("changes nothing for a known file, adds what is new in a grown one, and keeps more than an older one has", async () => {
    const { user, says } = claudeCodeSession("s-grown");
    const file = [user("Begin."), says("Done.")];
    const first = await load(file);
    expect(first).toMatchObject({ outcome: "new", written: 2 });
    const generation = await stored.store.generation();
    expect(await load(file)).toMatchObject({ id: first.id, outcome: "unchanged", written: 0 });
    expect(await stored.store.generation()).toBe(generation);
    const grown = [...file, user("And now?"), says("Still done.")];
    expect(await load(grown)).toMatchObject({ id: first.id, outcome: "changed", written: 2 });
    expect(await texts(first.id)).toEqual(["Begin.", "Done.", "And now?", "Still done."]);
    expect(await load(file)).toMatchObject({ id: first.id, outcome: "older", written: 0 });
    expect(await texts(first.id)).toHaveLength(4);
    expect((await stored.store.query(episode, { filter: { session: "s-grown" } })).total).toBe(1);
  });

  test("skips broken lines, and names them", async () => {
    const { user, says } = claudeCodeSession("s-broken");
    const deep = `{"type":"user","message":${"[".repeat(300)}${"]".repeat(300)}}`;
    const half = JSON.stringify(says("cut off")).slice(0, 80);
    const long = `{"type":"x","text":"${"x".repeat(17 * 1024 * 1024)}"}`;
    const imported = await load([user("Begin."), "{not json", "", deep, "[1]", long, says("Done."), half]);
    expect(imported.brokenLines).toEqual([
      { line: 2, problem: "not JSON" },
      { line: 4, problem: "nested more than 256 levels deep" },
      { line: 5, problem: "not a JSON object" },
      { line: 6, problem: "longer than 16,777,216 bytes" },
      { line: 8, problem: "not JSON" },
    ]);
    expect(imported).toMatchObject({ brokenLineCount: 5, written: 2 });
    const many = await load([user("Again."), ...Array.from({ length: 50 }, () => "broken")]);
    expect(many.brokenLineCount).toBe(50);
    expect(many.brokenLines).toHaveLength(20);
  });

  test("cuts long texts and long sessions, and says so", async () => {
    const { user, says } = claudeCodeSession("s-long");
    const asked = Array.from({ length: 2_100 }, (_, at) => [user(`Question ${at}`), says(`Answer ${at}`)]);
    const { id, episode: imported } = await load([user("x".repeat(10_000)), ...asked.flat()]);
    expect(imported).toMatchObject({ parts: 2_000, cut: "2201 parts were left out: 501 to 2701" });
    const kept = await texts(id);
    expect(kept).toHaveLength(2_000);
    expect(kept[0]).toBe(`${"x".repeat(4_000)}… (about 6,000 characters left out)`);
    expect([kept[499], kept[500], kept.at(-1)]).toEqual(["Question 249", "Question 1350", "Answer 2099"]);
    // The middle of a session that grew is left out later.
    await load([user("x".repeat(10_000)), ...asked.flat(), user("One more?")]);
    expect((await texts(id)).slice(-2)).toEqual(["Answer 2099", "One more?"]);
    expect(await texts(id)).toHaveLength(2_000);
  });

  test.each([
    ["another format", [{ kind: "note", indexes: [], text: [] }], /no line names a session/],
    ["an empty file", [], /no line names a session/],
    ["a session without messages", [codexSession().meta()], /no messages of its session/],
  ])("refuses %s", async (_what, records, message) => {
    await expect(load(records)).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message) as string,
    });
  });

  test("refuses a file of more than 1 GiB, whose only line is skipped", async () => {
    const chunk = Buffer.alloc(16 * 1024 * 1024, "x");
    const import65 = importTranscript(
      stored.store,
      Array.from({ length: 65 }, () => chunk),
    );
    await expect(import65).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("1,073,741,824") as string,
    });
  });

  test("an episode is forgotten with its parts, by its id or a part's, and is known again after an import", async () => {
    const { user } = claudeCodeSession("s-forgotten");
    const file = [user("Where is the quokka?")];
    const { id } = await load(file);
    await stored.store.put(observation, { text: "Wombats dig.", episode: `${id}.1` });
    const found = () => stored.ask("memory_recall", { query: "quokka" });
    expect(await stored.ask("memory_forget", { id: `${id}.1` })).toBe(`forgotten: ${id}`);
    expect(await found()).toMatch(/^Nothing is known/);
    expect(await load(file)).toMatchObject({ outcome: "changed" });
    expect(await found()).toContain("quokka?");
    expect(await stored.ask("memory_forget", { id, permanent: true })).toBe(`forgotten for good: ${id}`);
    expect(await stored.store.get(episodePart, `${id}.1`)).toBeUndefined();
    expect(await stored.ask("memory_recall", { query: "wombats" })).toContain("Wombats dig.");
  });
});
