import { rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  createCatalog,
  createDispatcher,
  definePack,
  defineTool,
  ToolError,
  type Intent,
  defineKind,
} from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { conversation, emptyStore, type Conversation } from "../pack.fixture.ts";
import { condenseArgs, condenseCall } from "./condense-call.ts";
import { createTraces, type Traces } from "./create-traces.ts";
import { trace } from "./trace.ts";

let talk: Conversation;
beforeEach(() => {
  talk = conversation({ keep: 20, days: 30 });
  return () => talk.end();
});
const ask: Conversation["ask"] = (...call) => talk.ask(...call);

const intent: Intent = {
  workspaceId: "default",
  sessionId: "s1",
  memory: "We agreed on the schema.",
  goal: "Migrate the invoices",
  constraints: "no downtime",
};

describe("traces", () => {
  test("are found by any of their words: goal, arguments, result, tool, session", async () => {
    await ask("memory_remember", { text: "The parrot is green." }, { intent });
    for (const query of ["invoices", "parrot", "remember", "schema", "downtime"]) {
      const found = await ask("trace_search", { query });
      expect(found).toMatch(
        /^session s1, goal: Migrate the invoices\n {2}\S+ memory_remember \{"text":"The parrot is green\."\} -> \w{16} .* ms$/m,
      );
    }
    expect(await ask("trace_search", { query: "parrot", tool: "fs_read" })).toBe("none");
    expect(await ask("trace_timeline", { session: "s1" })).toMatch(
      /^session s1, goal: Migrate the invoices\n {2}\S+ memory_remember/,
    );
  });

  test("have the outcome that the caller read, and the generation and time of the call", async () => {
    await ask("memory_remember", {});
    await ask("memory_forget", { entity: "nobody" });
    await talk.traces.flush();
    const { items } = await talk.store.query(trace);
    expect(items.map(({ data }) => [data.tool, data.outcome, data.result])).toEqual([
      ["memory_remember", "invalid_input", "text: required, unless an entity is given"],
      ["memory_forget", "not_found", 'entity: there is no entity "nobody"'],
    ]);
    expect(items[0]?.data).toMatchObject({
      ms: expect.any(Number),
      at: expect.stringMatching(/^20/),
    });
    expect(await ask("trace_search", { query: "entity", outcome: "not_found" })).toContain("-> failed (not_found): ");
    const call = { name: "trace_search", args: { query: "entity", outcome: "not_found" }, context: {} };
    const generation = items[1]?.generation;
    expect(await talk.dispatcher.dispatch(call)).toMatchObject({
      value: { items: [{ tool: "memory_forget", storeGeneration: generation }] },
    });
  });

  test("are stored in the workspace of their call", async () => {
    await ask("workspace_list", {}, { intent: { ...intent, workspaceId: "shop" } });
    await talk.traces.flush();
    expect((await talk.store.query(trace)).total).toBe(0);
    expect((await talk.store.in("shop").query(trace)).total).toBe(1);
  });

  test("are removed when there are too many, or they are too old", async () => {
    const old = { tool: "old", outcome: "ok", ms: 1, at: "2020-01-01T00:00:00.000Z" };
    await talk.store.put(trace, old);
    for (let at = 0; at < 330; at += 1) await ask("workspace_list", { limit: (at % 90) + 1 });
    await talk.traces.flush();
    // Traces are removed after every 200 at the latest.
    await expect.poll(async () => (await talk.store.query(trace)).total).toBeLessThan(20 + 200);
    await talk.store.end();
    const later = sqlite(talk.file);
    onTestFinished(() => later.end());
    const { items, total } = await later.query(trace);
    expect(total).toBe(20);
    expect(items.map(({ data }) => data.args)).toContain('{"limit":60}');
    expect(items.map(({ data }) => data.tool)).not.toContain("old");
  });

  test("are in the store while calls never pause, and another process finds them", async () => {
    const { store, file, remove } = emptyStore();
    const busy = boxWith(createTraces(store));
    const other = sqlite(file);
    onTestFinished(() => other.end());
    let calls = 0;
    const end = Date.now() + 1_500;
    while (Date.now() < end) {
      for (let at = 0; at < 5; at += 1) await busy.look({ at: calls++ });
      await new Promise(setImmediate);
    }
    // Calls of the last 250 ms and of the flush in progress can be missing.
    const early = (await other.query(trace, { limit: 0 })).total;
    expect(early).toBeGreaterThan(calls / 4);
    await remove(false);
    const { items, total } = await other.query(trace, { sort: ["id"], limit: 500 });
    expect(total).toBe(Math.min(calls, 10_000));
    const numbers = items.map(({ data }) => (JSON.parse(data.args ?? "") as { at: number }).at);
    expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
    rmSync(path.dirname(file), { recursive: true });
  }, 60_000);

  test("are read from a store with records of an unknown kind, such as packed traces", async () => {
    const packed = defineKind({ name: "trace_batch", schema: z.object({ traces: z.string() }) });
    await talk.store.put(packed, { traces: '[{"id":"a","record":{"tool":"packed_tool"}}]' });
    await ask("workspace_list", {});
    expect(await ask("trace_timeline", {})).toMatch(/^\S+ workspace_list .*\n\(none of these calls failed\)$/);
    expect(await ask("trace_search", { query: "packed_tool" })).toMatch(/^none/);
    expect(await talk.store.check([trace])).toEqual([]);
  });

  test("keep no part of large arguments, results and intents in memory while they wait", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const { store, remove } = emptyStore();
    const large = () => Buffer.alloc(5_000_000, "x").toString();
    const box = boxWith(createTraces(store), large);
    await box.look();
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let times = 0; times < 8; times += 1) {
      await box.look({ [large()]: large(), texts: Array.from({ length: 5 }, large) });
      await box.look({}, { ...intent, memory: large(), goal: large() });
      await box.call(large(), { [large()]: large() });
    }
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
    await remove();
  });

  test("are not written once more after the store has ended", async () => {
    const { store, remove } = emptyStore();
    const errors: unknown[] = [];
    await boxWith(createTraces(store, { onError: (error) => errors.push(error) })).look();
    await remove();
    await wait(400);
    expect(errors).toEqual([]);
  });

  test("wait while the store cannot be written", async () => {
    const { store, remove } = emptyStore();
    const errors: unknown[] = [];
    let isDown = true;
    const failing = { ...store, in: (name: string) => (isDown ? failed() : store.in(name)) };
    const traces = createTraces(failing, { onError: (error) => errors.push(error) });
    const box = boxWith(traces);
    await box.look();
    await traces.flush();
    await box.look();
    await traces.flush();
    expect(errors).toHaveLength(1);
    isDown = false;
    await traces.flush();
    expect((await store.query(trace)).total).toBe(2);
    await remove();
  });
});

/** A traced pack with one tool that takes nothing and returns a text. */
function boxWith(
  traces: Traces,
  text: () => string = () => "{}",
): { look(args?: object, intent?: Intent): Promise<unknown>; call(name: string, args: object): Promise<unknown> } {
  const pack = definePack({
    name: "box",
    description: "A box.",
    budget: 100,
    tools: () => [
      defineTool({
        name: "box_look",
        description: "Look.",
        mutates: false,
        input: z.object({}),
        output: z.object({}),
        text,
        handler: () => ({}),
      }),
    ],
  })();
  const dispatcher = createDispatcher(createCatalog({ packs: [pack] }), { observers: [traces.observer] });
  return {
    call: (name, args) => dispatcher.dispatch({ name, args }),
    look: (args = {}, why) => dispatcher.dispatch({ name: "box_look", args, context: why ? { intent: why } : {} }),
  };
}

function failed(): never {
  throw new ToolError("unavailable", "down");
}

describe("a trace of a call", () => {
  test("masks secrets by their field names and by their form", async () => {
    const secrets = {
      password: "hunter2",
      apiKey: "abc",
      nested: { Authorization: "Bearer 0123456789abcdef", list: [{ client_secret: 1234 }] },
      text: `use ghp_${"a1".repeat(18)} or sk-${"x".repeat(30)} and postgres://me:sesame@db/x`,
      env: 'API_KEY=topsecret TOKEN: "quoted one" session_token=abc; rest',
      jwt: `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`,
      pem: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
      maxTokens: 500,
      shell: "curl -u me:hunter3 --cookie-jar x; login --password hunter3 && login --password=hunter3",
      lines: "Cookie: sid=hunter3; a=b\nSet-Cookie: sid=hunter3; AccountKey=hunter3==;x",
      command: ["login", "--password", "hunter3"],
      env2: [{ key: "DB_PASSWORD", value: "hunter3" }],
      keys: `SG.${"hunter3".repeat(3)}.${"hunter3".repeat(6)} 123456789:AA${"hunter3".repeat(5)}`,
    };
    const kept = condenseArgs(secrets);
    for (const secret of [
      "hunter2",
      "hunter3",
      "abc",
      "0123456789abcdef",
      "1234",
      "a1a1",
      "xxxx",
      "sesame",
      "topsecret",
      "quoted",
      "MIIE",
      "bbbb",
    ])
      expect(kept).not.toContain(secret);
    expect(kept).toContain('"maxTokens":500');
    expect(kept).toContain("postgres://me:***@db/x");
    expect(kept).toContain("rest");
  });

  test("masks secrets at the cut", () => {
    const context = { signal: AbortSignal.abort(), progress: async () => {}, principal: "" };
    const secrets = {
      jwt: `eyJ${"a".repeat(600)}.${"b".repeat(600)}.${"c".repeat(600)}`,
      pem: `-----BEGIN PRIVATE KEY-----\n${"b".repeat(3_000)}\n-----END PRIVATE KEY-----`,
      quoted: `password="${"b c ".repeat(900)}"`,
      token: `ghp_${"b".repeat(36)}`,
    };
    for (const secret of Object.values(secrets)) {
      for (const before of [0, 300, 396, 399, 490, 496, 499]) {
        const text = `${"_ ".repeat(before / 2).slice(0, before)}${secret}`;
        expect(condenseArgs({ text })).not.toMatch(/bb|b c|aa/);
        const call = { id: "1", parent: undefined, name: "box_look", args: {}, context };
        const { result } = condenseCall(call, { outcome: { ok: true, text } }, { began: 0, ms: 1 });
        expect(result).not.toMatch(/bb|b c|aa/);
      }
    }
  });

  test("is short even if the arguments are long, wide or deep", () => {
    let deep: object = { end: true };
    for (let at = 0; at < 1_000; at += 1) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at]));
    for (const args of [
      deep,
      wide,
      { text: "x".repeat(10_000_000) },
      { list: Array.from({ length: 100_000 }, () => "y") },
    ]) {
      expect(condenseArgs(args).length).toBeLessThanOrEqual(2_000);
    }
    expect(condenseArgs({ half: "\uD800", zero: "a\0b" })).toBe('{"half":"\uFFFD","zero":"ab"}');
  });
});
