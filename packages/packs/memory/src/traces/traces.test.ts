import { createCatalog, createDispatcher, definePack, defineTool, ToolError, type Intent } from "@toolpacks/core";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { conversation, emptyStore, type Conversation } from "../pack.fixture.ts";
import { condenseArgs } from "./condense-call.ts";
import { createTraces } from "./create-traces.ts";
import { maskText } from "./mask-secrets.ts";
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
      expect(found).toMatch(/memory_remember \{"text":"The parrot is green\."\} -> \w{16} .* ms \(goal: Migrate the/);
    }
    expect(await ask("trace_search", { query: "parrot", tool: "fs_read" })).toBe("none");
    expect(await ask("trace_timeline", { session: "s1" })).toMatch(/^\S+ memory_remember/);
  });

  test("keep the outcome as the caller got it, and the generation and time of the call", async () => {
    await ask("memory_remember", {});
    await ask("memory_graph", { entity: "nobody" });
    await talk.traces.flush();
    const { items } = await talk.store.query(trace);
    expect(items.map(({ data }) => [data.tool, data.outcome, data.result])).toEqual([
      ["memory_remember", "invalid_input", "text: required, unless an entity is given"],
      ["memory_graph", "not_found", 'entity: there is no entity "nobody"'],
    ]);
    expect(items[0]?.data).toMatchObject({
      storeGeneration: 0,
      ms: expect.any(Number),
      at: expect.stringMatching(/^20/),
    });
    expect(await ask("trace_search", { query: "entity", outcome: "not_found" })).toContain("-> not_found: ");
  });

  test("lie in the workspace that the call worked in", async () => {
    await ask("workspace_list", {}, { intent: { ...intent, workspaceId: "shop" } });
    await talk.traces.flush();
    expect((await talk.store.query(trace)).total).toBe(0);
    expect((await talk.store.in("shop").query(trace)).total).toBe(1);
  });

  test("go when there are more than are kept, or they are too old", async () => {
    const old = { tool: "old", outcome: "ok", ms: 1, at: "2020-01-01T00:00:00.000Z" };
    await talk.store.put(trace, old);
    for (let at = 0; at < 30; at += 1) await ask("workspace_list", { limit: at });
    await talk.traces.flush();
    const { items, total } = await talk.store.query(trace);
    expect(total).toBe(20);
    expect(items.map(({ data }) => data.args)).toContain('{"limit":29}');
    expect(items.map(({ data }) => data.tool)).not.toContain("old");
  });

  test("wait while the store cannot be written, and are lost to nobody but the oldest", async () => {
    const { store, remove } = emptyStore();
    const errors: unknown[] = [];
    let isDown = true;
    const failing = { ...store, in: (name: string) => (isDown ? failed() : store.in(name)) };
    const traces = createTraces(failing, { onError: (error) => errors.push(error) });
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
          handler: () => ({}),
        }),
      ],
    })();
    const dispatcher = createDispatcher(createCatalog({ packs: [pack] }), { interceptors: [traces.interceptor] });
    await dispatcher.dispatch({ name: "box_look" });
    await traces.flush();
    await dispatcher.dispatch({ name: "box_look" });
    await traces.flush();
    expect(errors).toHaveLength(1);
    isDown = false;
    await traces.flush();
    expect((await store.query(trace)).total).toBe(2);
    await remove();
  });
});

function failed(): never {
  throw new ToolError("unavailable", "down");
}

describe("what a trace keeps of a call", () => {
  test("is no secret: by the name of its field, or by its form", async () => {
    const secrets = {
      password: "hunter2",
      apiKey: "abc",
      nested: { Authorization: "Bearer 0123456789abcdef", list: [{ client_secret: 1234 }] },
      text: `use ghp_${"a1".repeat(18)} or sk-${"x".repeat(30)} and postgres://me:sesame@db/x`,
      env: 'API_KEY=topsecret TOKEN: "quoted one" session_token=abc; rest',
      jwt: `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`,
      pem: "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
      maxTokens: 500,
    };
    const kept = condenseArgs(secrets);
    for (const secret of [
      "hunter2",
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

  test("leaves ordinary text as it is", () => {
    const text =
      "The basic understanding of bearer responsibilities, see https://example.org/a:b and keep 500 tokens: fine";
    expect(maskText(text)).toBe(text);
  });

  test("is short, however long, wide or deep the arguments are", () => {
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
