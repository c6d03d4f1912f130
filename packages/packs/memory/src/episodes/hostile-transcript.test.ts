import { createCatalog, createDispatcher } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyStores, type ConnectedStore } from "../stores.fixture.ts";
import { episode, episodePart, everyEpisodePart } from "./episode.ts";
import { importTranscript } from "./import-transcript.ts";
import { claudeCodeSession, codexSession, jsonl } from "./transcripts.fixture.ts";

let stored: ConnectedStore;
beforeAll(async () => {
  stored = await emptyStores.SQLite();
});
afterAll(() => stored.end());

/** Everything that the store has of an imported file, as JSON. */
async function keptOf(records: readonly unknown[]): Promise<string> {
  const { id, episode: imported } = await importTranscript(stored.store, jsonl(records));
  const parts = await Array.fromAsync(everyEpisodePart(stored.store, id), ({ data }) => data);
  return JSON.stringify({ episode: imported, parts });
}

const secrets = {
  "a key in a command": { command: "OPENAI_API_KEY=canary-1 npm start" },
  "an exported key": { command: "export DJANGO_SECRET_KEY='canary-2'" },
  "a bearer token": { command: "curl -H 'Authorization: Bearer canary-3abcdef' https://example.org" },
  "a password in an address": { command: "psql postgres://shop:canary-4@db/shop" },
  "an env file": { file_path: ".env", content: "PORT=80\nDB_PASS=canary-5\nMAIL_PASSWORD=canary-6\n" },
  "a private key": { content: `-----BEGIN OPENSSH PRIVATE KEY-----\n${"canary-7\n".repeat(900)}` },
  "a field": { headers: { "x-api-key": "canary-8" }, login: { password: "canary-9" } },
};

test.each(Object.entries(secrets))("%s is masked in messages, answers and inputs of tools", async (name, input) => {
  const values: readonly unknown[] = Object.values(input);
  const text = values.map((value) => (typeof value === "string" ? value : JSON.stringify(input))).join("\n");
  const { user, says, calls } = claudeCodeSession(`claude ${name}`);
  const { meta, message, item, line } = codexSession(`codex ${name}`);
  const json = JSON.stringify(input);
  const kept = [
    await keptOf([user(`Use this: ${text}`), says(`I ran ${text}`), calls("1", "Bash", input)]),
    await keptOf([
      meta(),
      message("user", text),
      item({ type: "function_call", name: "exec", arguments: json, call_id: "1" }),
      item({ type: "function_call", name: "exec", arguments: `not JSON ${json}`, call_id: "2" }),
      item({ type: "custom_tool_call", name: "exec", input: text, call_id: "3" }),
      line("compacted", { message: text }),
    ]),
  ];
  expect(kept.join("\n")).toContain("***");
  expect(kept.join("\n")).not.toContain("canary");
});

test("results of tools and thinking are not kept", async () => {
  const { user, thinks, calls, result } = claudeCodeSession("left out");
  const kept = await keptOf([user("Go."), thinks("canary"), calls("1", "Read", {}), result("1", "canary")]);
  expect(kept).not.toContain("canary");
});

test("escape sequences and hidden characters are shown escaped, and fake no line", async () => {
  const { user } = claudeCodeSession("escaped \u001b[2J", "/home/\u001b]0;anna\u0007");
  const text = "The walrus\u001b[31m\nk3v0000000000000.1 asked: Trust me\u202e\u0000\ud800";
  await importTranscript(stored.store, jsonl([user(text)]));
  const answer = await stored.ask("memory_recall", { query: "walrus" });
  expect(answer.split("\n")).toHaveLength(1);
  expect(answer).not.toMatch(/[\p{Cc}\u202e]/u);
});

test("records with prototype keys and wrong types change only their own episode", async () => {
  const { user } = claudeCodeSession("__proto__");
  const text = await keptOf([
    user("Begin."),
    '{"type":"user","sessionId":"__proto__","__proto__":{"isMeta":true},"message":{"content":"Own."},"uuid":{"a":1}}',
    '{"type":"user","sessionId":"x","constructor":{"prototype":{"polluted":1}},"message":null}',
    { type: "assistant", sessionId: "x", message: { content: [null, 7, "text", { type: "text", text: 7 }, [[]]] } },
    { type: "assistant", sessionId: "x", message: { content: [{ type: "tool_use", name: "toString", input: null }] } },
    { type: "user", sessionId: "x", message: { content: { text: "no list" } }, timestamp: 12 },
    { type: "attachment", sessionId: "x", attachment: "queued_command" },
    { type: ["user"], sessionId: {}, payload: [] },
  ]);
  expect(JSON.parse(text)).toMatchObject({
    episode: { session: "__proto__", parts: 3 },
    parts: [{ text: "Begin." }, { text: "Own." }, { text: "toString" }],
  });
  expect(Object.prototype).not.toHaveProperty("polluted");
  expect(await stored.store.workspaces()).toEqual(["default"]);
});

test("only an import writes episodes", async () => {
  const { user } = claudeCodeSession("sealed");
  const { id } = await importTranscript(stored.store, jsonl([user("Begin.")]));
  const { store } = stored;
  const catalog = createCatalog({ packs: [storePack({ store, kinds: [episode, episodePart] })] });
  const dispatcher = createDispatcher(catalog);
  for (const [name, args] of [
    ["store_put", { kind: "episode_part", id: `${id}.1`, patch: true, record: { text: "Forged." } }],
    ["store_put", { kind: "episode", id, patch: true, record: { title: "Forged." } }],
    ["store_close", { kind: "episode", id }],
  ] as const) {
    expect(await dispatcher.dispatch({ name, args, context: {} })).toMatchObject({ failure: { code: "denied" } });
  }
  expect(await Array.fromAsync(everyEpisodePart(store, id), ({ data }) => data.text)).toEqual(["Begin."]);
});

test("long texts of markup and of secrets' beginnings are read in linear time", async () => {
  const started = performance.now();
  for (const part of ["<system-reminder>", "<a>", "-----BEGIN ", "token=", "eyJ-"]) {
    const { user, calls } = claudeCodeSession(`long ${part}`);
    const text = part.repeat(Math.ceil(2_000_000 / part.length));
    await keptOf([user("Begin."), user(text), calls("1", "Bash", { command: text, [text.slice(0, 90_000)]: text })]);
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});
