import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { connectServer } from "../serve.fixture.ts";
import { createRuntime } from "../mount/runtime.ts";
import { testIo } from "../run-cli.fixture.ts";

/** A client with a server of a folder with files. */
async function session(flags: readonly string[] = ["--write"], config: object = {}) {
  const at = folder({ "a.txt": "one\n", "toolpacks.config.json": JSON.stringify({ roots: ["."], ...config }) });
  const options = { cwd: at, env: { XDG_DATA_HOME: path.join(at, "..", `${path.basename(at)}-data`) } };
  const args = ["--store", path.join(at, "..", `${path.basename(at)}.db`)];
  const connect = async (more: readonly string[]) => {
    const { client } = await connectServer(["serve", "--config", "toolpacks.config.json", ...args, ...more], options);
    onTestFinished(() => client.close());
    return async (name: string, given: object) => {
      const { content } = await client.callTool({ name: "tool_invoke", arguments: { name, args: given } });
      return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    };
  };
  const command = (words: readonly string[]) => run(["undo", ...words, ...args], options);
  return {
    at,
    connect,
    invoke: await connect(flags),
    command,
    read: (name: string) => readFileSync(path.join(at, name), "utf8"),
  };
}

test("undo takes back a session over the wire, and a second server cannot do more than it may", async () => {
  const { invoke, connect, read, at } = await session();
  expect(await invoke("fs_write", { path: "a.txt", content: "two\n", overwrite: true })).toContain("replaced");
  expect(await invoke("store_put", { kind: "note", id: "n", record: { text: "hello" } })).toContain("note n");
  expect(await invoke("issue_create", { issues: [{ title: "Later" }] })).toContain("Later");
  expect(await invoke("undo_list", {})).toMatch(
    /issue_create: created issue .*\n.*store_put: created note n.*\n.*fs_write: changed a\.txt/,
  );
  const readOnly = await connect(["--write", "--read-only"]);
  expect(await readOnly("undo", { since: "2020-01-01T00:00:00Z" })).toMatch(/^denied: undo changes things/);
  const withoutWriting = await connect([]);
  expect(await withoutWriting("undo", { since: "2020-01-01T00:00:00Z" })).toMatch(/fs_write: .*writing is off/);
  const denied = await connect(["--write", "--deny", "store_put"]);
  expect(await denied("undo", { since: "2020-01-01T00:00:00Z" })).toMatch(/store_put: store_put is denied/);
  expect(read("a.txt")).toBe("two\n");
  expect(await invoke("undo", { session: "this", dryRun: true })).toContain("+one");
  expect(await invoke("undo", { session: "this" })).toContain("took back 3 changes");
  expect(read("a.txt")).toBe("one\n");
  const undo = /^(\S+) \S+ undo:/m.exec(await invoke("undo_list", { tool: "undo", undone: true }))?.[1];
  expect(await withoutWriting("undo", { call: undo })).toMatch(/undo: .*writing is off/);
  expect(await denied("undo", { call: undo })).toMatch(/undo: store_put is denied/);
  expect(await invoke("store_query", { kind: "note" })).toContain("none");
  expect(existsSync(path.join(at, "toolpacks.config.json"))).toBe(true);
});

test("undo of a record brings back what rules have set and changed with it", async () => {
  const { invoke } = await session();
  const created = await invoke("issue_create", { issues: [{ title: "First" }, { title: "Second" }] });
  const [first, second] = created.match(/\b[a-z]+-\w+/g) ?? [];
  await invoke("issue_depend", { id: second, on: first });
  await invoke("issue_claim", { id: first, actor: "agent-1" });
  await invoke("issue_close", { ids: [first] });
  expect(await invoke("issue_ready", {})).toContain("Second");
  expect(await invoke("undo", { call: await lastCallOf(invoke, "issue_close") })).toContain("took back 1 change");
  expect(await invoke("issue_list", { where: { status: "in_progress" } })).toContain("First");
  expect(await invoke("issue_ready", {})).not.toContain("Second");
  const fact = await invoke("memory_remember", { text: "Releases are cut on Tuesdays." });
  const old = /\b[0-9a-z]{16}\b/.exec(fact)?.[0];
  await invoke("memory_remember", { text: "Releases are cut on Fridays.", supersedes: old });
  await invoke("undo", { call: await lastCallOf(invoke, "memory_remember") });
  const known = await invoke("memory_recall", { query: "when are releases cut" });
  expect([known.includes("Tuesdays"), known.includes("Fridays")]).toEqual([true, false]);
});

test("an issue that is taken back is as ready as others let it be by now", async () => {
  const { invoke } = await session();
  const issues = [
    { title: "First" },
    { title: "Second", depends: ["#1"] },
    { title: "Epic" },
    { title: "Child", parent: "#3" },
  ];
  const created = await invoke("issue_create", { issues });
  const [first, second, epic, child] = created.match(/^bd-\S+/gm) ?? [];
  for (const ids of [[first], [second, child]]) await invoke("issue_close", { ids });
  const closed = await lastCallOf(invoke, "issue_close");
  await invoke("issue_reopen", { ids: [first] });
  await invoke("issue_update", { ids: [epic], set: { status: "deferred" } });
  expect(await invoke("undo", { call: closed })).toContain("took back 1 change");
  expect(await invoke("issue_blocked", {})).toContain("Second");
  expect(await invoke("issue_ready", {})).toMatch(/First\b(?![^]*(Second|Child))/);
});

test("what depends on another is taken back and done again, any number of times", async () => {
  const { invoke } = await session();
  await invoke("issue_create", { issues: [{ title: "First" }, { title: "Second", depends: ["#1"] }] });
  const all = async () => invoke("store_query", { kind: "issue", includeClosed: true });
  const whole = await all();
  await invoke("undo", { session: "this" });
  const none = await all();
  expect(await invoke("undo_list", { undone: true })).toMatch(/ undo: deleted issue \S+, deleted issue \S+ \(/);
  for (const expected of [whole, none, whole]) {
    await invoke("undo", { call: await lastCallOf(invoke, "undo") });
    expect(await all()).toBe(expected);
  }
});

test("each state before a call of any pack comes back, also after undos of undos", async () => {
  const { invoke } = await session();
  const state = async () => {
    const kinds = ["issue", "observation", "entity", "relation", "state", "reminder"];
    const all = kinds.map((kind) => invoke("store_query", { kind, includeClosed: true }));
    return (await Promise.all(all)).join("\n");
  };
  const idIn = (text: string) => /\b[0-9a-z]{16}\b/.exec(text)?.[0];
  const states = [await state()];
  const facts: (string | undefined)[] = [];
  const calls: readonly (() => readonly [string, object])[] = [
    () => ["memory_remember", { text: "Anna cuts releases on Tuesdays.", about: ["Anna"] }],
    () => ["memory_remember", { text: "Anna cuts releases on Fridays.", about: ["Anna"], supersedes: facts[0] }],
    () => ["memory_forget", { id: facts[1], permanent: true }],
    () => ["memory_forget", { entity: "Anna" }],
    () => ["state_save", { name: "s", memory: "half done", goal: "done" }],
    () => ["issue_create", { issues: [{ title: "Epic" }, { title: "Child", parent: "#1" }] }],
    () => [
      "store_put",
      { kind: "reminder", id: "r", record: { text: "Water", due: "2030-01-01", repeat: "FREQ=DAILY" } },
    ],
    () => ["store_close", { kind: "reminder", id: "r" }],
  ];
  for (const call of calls) {
    facts.push(idIn(await invoke(...call())));
    states.push(await state());
  }
  expect(new Set(states).size).toBe(calls.length + 1);
  await invoke("undo", { since: 0 });
  expect(await state()).toBe(states[0]);
  for (const expected of [states.at(-1), states[0], states.at(-1)]) {
    await invoke("undo", { call: await lastCallOf(invoke, "undo") });
    expect(await state()).toBe(expected);
  }
  for (const expected of states.toReversed().slice(1)) {
    await invoke("undo", { call: await lastCallOf(invoke) });
    expect(await state()).toBe(expected);
  }
});

test("what a rule has made stays where others have come to need it", async () => {
  const { invoke, connect } = await session();
  const other = await connect(["--write"]);
  await invoke("memory_remember", { text: "Anna lives in Lund.", about: ["Anna"] });
  await other("memory_remember", { text: "Anna is a pilot.", about: ["Anna"] });
  expect(await invoke("undo", { session: "this" })).toContain("took back 1 change");
  expect(await invoke("store_query", { kind: "observation" })).not.toContain("Lund");
  expect(await invoke("store_query", { kind: "entity" })).toContain("Anna");
  expect(await invoke("memory_recall", { query: "pilot" })).toContain("Anna is a pilot.");
});

test("an entity that a rule has reopened stays open where others have come to need it", async () => {
  const { invoke } = await session();
  await invoke("memory_remember", { text: "zero", about: ["Anna"] });
  await invoke("memory_forget", { entity: "Anna" });
  await invoke("memory_remember", { text: "one", about: ["Anna", "Ben"] });
  const one = await lastCallOf(invoke);
  await invoke("memory_remember", { text: "two", about: ["Anna"] });
  expect(await invoke("undo", { call: one })).toContain("took back 1 change");
  expect(await invoke("store_query", { kind: "entity" })).toContain("Anna");
});

test("no undo lets a gate wait for an issue that is closed, or a fact stand about what was forgotten", async () => {
  const { invoke } = await session();
  const [id] = /^bd-\S+/m.exec(await invoke("issue_create", { issues: [{ title: "First" }] })) ?? [];
  await invoke("issue_close", { ids: [id] });
  await invoke("issue_reopen", { ids: [id] });
  const reopened = await lastCallOf(invoke);
  const gate = { title: "Gate", issue_type: "gate", await_type: "issue", await_id: id };
  await invoke("store_put", { kind: "issue", record: gate });
  expect(await invoke("undo", { call: reopened })).toContain("it would be closed, too");
  await invoke("memory_remember", { text: "Anna lives in Lund.", about: ["Anna"] });
  const fact = /\b[0-9a-z]{16}\b/.exec(await invoke("memory_recall", { query: "Lund" }))?.[0];
  await invoke("memory_forget", { id: fact });
  const forgotten = await lastCallOf(invoke);
  await invoke("memory_forget", { entity: "Anna" });
  expect(await invoke("undo", { call: forgotten })).toContain("Anna was forgotten");
});

/** The newest call of a tool. */
async function lastCallOf(invoke: (name: string, args: object) => Promise<string>, tool?: string) {
  return /^\S+/m.exec(await invoke("undo_list", { tool, limit: 1, undone: tool === "undo" }))?.[0];
}

test("a preview names every call beside a handle to a long diff", async () => {
  const { invoke } = await session();
  const content = Array.from({ length: 2_000 }, (_, line) => `line ${line} of the file\n`).join("");
  for (const name of ["b.txt", "c.txt"]) await invoke("fs_write", { path: name, content });
  const preview = await invoke("undo", { session: "this", dryRun: true });
  expect(preview).toMatch(/^would take back 2 changes\n.*created c.txt\n.*created b.txt\nrelay:\/\/\w+ stands for/);
});

test("toolpacks undo shows the last session, asks, and takes it back", async () => {
  const { at, invoke, connect, command, read } = await session();
  await invoke("fs_write", { path: "a.txt", content: "two\n", overwrite: true });
  await invoke("fs_write", { path: "b.txt", content: "a new line\n".repeat(5_000) });
  await wait(300);
  expect((await command(["--list"])).stdout).toMatch(/fs_write: created b\.txt/);
  const asked = await command([]);
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("use --yes") });
  expect(asked.stdout).toMatch(/^would take back 2 changes\n[^]*\n\+one\n/);
  expect((await command(["--read-only", "--yes"])).stdout + read("a.txt")).toMatch(/two\n$/);
  expect((await command(["--dry-run"])).code).toBe(0);
  expect(read("a.txt")).toBe("two\n");
  expect((await command(["--yes"])).stdout).toContain("took back 2 changes");
  expect(read("a.txt")).toBe("one\n");
  const last = /^(\S+) \S+ undo:/m.exec((await command(["--list"])).stdout)?.[1] ?? "";
  expect((await command([last])).stderr).toContain("use --yes");
  expect((await command([last, "--yes"])).stdout).toMatch(/took back \d changes?\n/);
  expect(read("a.txt")).toBe("two\n");
  expect((await command(["--yes"])).stdout).toContain("took back");
  expect(read("a.txt")).toBe("one\n");
  expect((await command(["--yes"])).stdout).toContain("nothing to take back");
  await invoke("fs_write", { path: "c.txt", content: "one\n" });
  const other = await connect(["--write"]);
  await other("fs_write", { path: "d.txt", content: "one\n" });
  writeFileSync(path.join(at, "d.txt"), "by a person\n");
  await wait(300);
  const { stdout } = await command(["--yes"]);
  expect(stdout).toMatch(
    /cannot be taken back: .* d\.txt: it was changed since\n[^]*took back 1 change\n.*created c\.txt/,
  );
});

test("a batch, a workflow and a script are units, and a failed one says how to take it back", async () => {
  const { invoke, connect, read, at } = await session(["--write"], {
    packs: { workflows: { inline: ["tool", "code"] } },
    workflows: {
      two: {
        description: "Write twice",
        steps: [
          { id: "one", tool: "fs_write", params: { path: "w.txt", content: "1" } },
          { id: "two", tool: "fs_edit", params: { path: "w.txt", edits: [{ old: "2", new: "3" }] } },
        ],
      },
    },
  });
  void connect;
  const failed = await invoke("workflow_run", { name: "two" });
  const unit = /undo \{"unit": "([^"]+)"\} takes back what it had done/.exec(failed)?.[1];
  expect(failed).toContain("takes back what it had done");
  expect(read("w.txt")).toBe("1");
  expect(await invoke("undo", { unit })).toContain("took back 1 change");
  expect(existsSync(path.join(at, "w.txt"))).toBe(false);
});

test("a batch that fails says how to take back what it had done", async () => {
  const { at } = await session();
  const { client } = await connectServer(
    ["serve", "--config", "toolpacks.config.json", "--write", "--store", path.join(at, "..", "s.db")],
    {
      cwd: at,
      env: { XDG_DATA_HOME: path.join(at, "..", "data-of-batch") },
    },
  );
  onTestFinished(() => client.close());
  const calls = [
    { name: "fs_write", args: { path: "x.txt", content: "1" } },
    { name: "fs_edit", args: { path: "x.txt", edits: [{ old: "2", new: "3" }] } },
  ];
  const answer = await client.callTool({ name: "tool_invoke", arguments: { calls } });
  const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  const unit = /undo \{"unit": "([^"]+)"\}/.exec(text)?.[1];
  await client.callTool({ name: "tool_invoke", arguments: { name: "undo", args: { unit } } });
  expect(existsSync(path.join(at, "x.txt"))).toBe(false);
});

/** Why calls of these tools cannot be taken back. */
const irreversible = { issue_sync: "it changes another tracker" };

test("every mutating tool of the bundled packs says what can be taken back", async () => {
  const at = folder({ "toolpacks.config.json": "{}" });
  mkdirSync(path.join(at, "docs"));
  writeFileSync(path.join(at, "docs", "a"), "");
  const { io } = testIo(["--write"], { cwd: at });
  const runtime = await createRuntime(
    { root: [at], write: true, trust: true },
    {
      io,
      quiet: "silent",
    },
  );
  onTestFinished(() => runtime.finish());
  const entries = await runtime.surface.catalog.entries();
  const undeclared = entries.filter(
    ({ tool: { mutates, effects } }) => mutates && !effects.records && !effects.files && !effects.calls,
  );
  expect(undeclared.map(({ tool }) => tool.name).filter((name) => !(name in irreversible))).toEqual([]);
  expect(entries.filter(({ tool }) => tool.mutates).length).toBeGreaterThan(25);
});

test("packs: undo: false keeps nothing", async () => {
  const { invoke, at } = await session(["--write"], { packs: { undo: false } });
  await invoke("fs_write", { path: "a.txt", content: "two\n", overwrite: true });
  expect(await invoke("undo_list", {})).toContain("turned off");
  expect(existsSync(path.join(at, "..", `${path.basename(at)}-data`, "toolpacks", "undo"))).toBe(false);
});
