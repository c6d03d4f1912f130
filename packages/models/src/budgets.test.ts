import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ToolError, type OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { silence, startModelEndpoint, type ModelEndpoint, type ScriptedAnswer } from "@toolpacks/testkit";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createModels, type ModelsOptions } from "./create-models.ts";
import type { Models } from "./models.ts";

let server: Promise<TestDatabase> | undefined;
let schemas = 0;
let endpoint: ModelEndpoint | undefined;
const stores: OwnedStore[] = [];
afterAll(async () => (await server)?.remove());
afterEach(async () => {
  await endpoint?.close();
  for (const store of stores.splice(0)) await store.end();
});

const databases: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => path.join(mkdtempSync(path.join(tmpdir(), "budgets-")), "store.db"),
  PostgreSQL: async () => `${(await (server ??= createDatabase())).address}#budgets_${(schemas += 1)}`,
};

function open(database: string): OwnedStore {
  const [address = "", schema] = database.split("#");
  const store = schema === undefined ? sqlite(address) : postgres(address, { schema });
  stores.push(store);
  return store;
}

const question = { model: "small", prompt: "Say it.", maxOutputTokens: 100 };
const ask = (models: Models, more: object = {}) =>
  models.ask({ ...question, ...more, signal: new AbortController().signal });

/** A response with a text and the use that the endpoint claims. */
function completion(usage: unknown, content = "It."): ScriptedAnswer {
  return { body: JSON.stringify({ choices: [{ message: { role: "assistant", content } }], usage }) };
}

async function start(...answers: ScriptedAnswer[]): Promise<string> {
  endpoint = await startModelEndpoint(answers);
  return endpoint.baseUrl;
}

/** What one question may use at most. */
async function most(): Promise<{ readonly input: number; readonly output: number }> {
  const models = createModels({ models: { small: { url: "http://127.0.0.1:1/v1" } } });
  return (await models.plan(question)).tokens;
}

/** Asks until a budget forbids it, three questions at a time on each of several connections, as processes have them. */
async function askAll(count: number, database: string, settings: Omit<ModelsOptions, "store">) {
  const run = async () => {
    const models = createModels({ ...settings, store: open(database).internal() });
    let answered = 0;
    const reasons: string[] = [];
    const askUntilRefused = async (): Promise<void> => {
      try {
        for (;;) {
          await ask(models);
          answered += 1;
        }
      } catch (error) {
        if (!ToolError.is(error)) throw error;
        reasons.push(error.message);
      }
    };
    await Promise.all([1, 2, 3].map(askUntilRefused));
    return { answered, reasons };
  };
  return Promise.all(Array.from({ length: count }, run));
}

describe.each(Object.entries(databases))("a budget in %s", (_, create) => {
  test("holds over four connections to the last token", async () => {
    const { input, output } = await most();
    const url = await start(completion({ prompt_tokens: input, completion_tokens: output }));
    const tokens = 30 * (input + output);
    const settings = { models: { small: { url, budget: { day: { tokens } } } } };
    const database = await create();
    const connections = await askAll(4, database, settings);
    expect(connections.reduce((sum, { answered }) => sum + answered, 0)).toBe(30);
    expect(endpoint?.asked).toHaveLength(30);
    const reason = `model small: its budget of ${tokens.toLocaleString("en")} tokens (${tokens.toLocaleString("en")} used`;
    for (const { reasons } of connections) expect(reasons.join("\n")).toContain("its budget of");
    const models = createModels({ ...settings, store: open(database).internal() });
    await expect(ask(models)).rejects.toThrow(reason);
    expect((await models.list()).models[0]?.use.day).toEqual({ tokens, money: 0, questions: 30 });
    expect(endpoint?.asked).toHaveLength(30);
  });

  test("of all models holds over four connections, in money, where answers are shorter than reserved", async () => {
    const url = await start(completion({ prompt_tokens: 20, completion_tokens: 7 }));
    const settings = {
      models: { small: { url, price: { input: 1_000, output: 10_000 } } },
      modelBudget: { month: { money: 5 } },
    };
    const database = await create();
    await askAll(4, database, settings);
    const { use } = await createModels({ ...settings, store: open(database).internal() }).list();
    const asked = endpoint?.asked.length ?? 0;
    // 20 * 0.001 + 7 * 0.01 for each answer.
    expect(use.month).toEqual({ tokens: asked * 27, money: Number((asked * 0.09).toFixed(2)), questions: asked });
    expect(use.month.money).toBeLessThanOrEqual(5);
    expect(use.month.money).toBeGreaterThan(5 - 13 * 1.1);
    expect(asked).toBeGreaterThan(10);
  });

  test("counts a question as used until it is answered, so that of a killed process stays counted", async () => {
    const { input, output } = await most();
    const url = await start(silence);
    const database = await create();
    const settings = { models: { small: { url, budget: { day: { tokens: input + output } } } } };
    const ending = new AbortController();
    const unanswered = createModels({ ...settings, store: open(database).internal() })
      .ask({ ...question, signal: ending.signal })
      .catch(() => {});
    await expect.poll(() => endpoint?.asked.length, { timeout: 20_000 }).toBe(1);
    const models = createModels({ ...settings, store: open(database).internal() });
    await expect(ask(models)).rejects.toThrow("its budget of");
    expect(endpoint?.asked).toHaveLength(1);
    ending.abort();
    await unanswered;
  });
});

describe("the use of an endpoint", () => {
  async function used(answers: readonly ScriptedAnswer[], more: Partial<ModelsOptions> = {}, schema?: object) {
    const url = await start(...answers);
    const store = open(await (databases["SQLite"] as () => Promise<string>)());
    const budget = { day: { tokens: 1_000_000 } };
    const models = createModels({
      models: { small: { url, budget, ...(answers[0] === silence && { timeoutSeconds: 0.3 }) } },
      store,
      ...more,
    });
    const answer = await ask(models, schema).catch((error: unknown) => error as Error);
    return { answer, tokens: (await models.list()).use.day.tokens, models };
  }

  test("counts at least what was sent and received, whatever the endpoint claims", async () => {
    const estimated = await used([completion({ prompt_tokens: 0, completion_tokens: 0 }, "word ".repeat(50))]);
    expect(estimated.tokens).toBeGreaterThanOrEqual(52);
    for (const usage of [
      undefined,
      "free",
      { prompt_tokens: -5, completion_tokens: "many" },
      { prompt_tokens: 1e300 },
    ]) {
      const { tokens } = await used([completion(usage, "word ".repeat(50))]);
      expect(tokens).toBe(estimated.tokens);
    }
    expect((await used([completion({ prompt_tokens: 500, completion_tokens: 70 })])).tokens).toBe(570);
  });

  test("is nothing where the endpoint refuses the question, or cannot be reached", async () => {
    for (const status of [401, 429, 500]) expect((await used([status])).tokens).toBe(0);
    const { models } = await used(["x"]);
    const before = (await models.list()).use.day.tokens;
    await endpoint?.close();
    await expect(ask(models)).rejects.toThrow("cannot be reached");
    expect((await models.list()).use.day.tokens).toBe(before);
  });

  test("is all that was reserved where the endpoint stalls, or its response cannot be read", async () => {
    const { input, output } = await most();
    expect((await used([silence])).tokens).toBe(input + output);
    expect((await used([{ body: "no" }])).tokens).toBe(input + output);
    expect((await used([{ body: "x".repeat(17_000_000) }])).tokens).toBe(input + output);
  });

  test("is counted without a budget, too", async () => {
    const url = await start(completion({ prompt_tokens: 40, completion_tokens: 2 }));
    const store = open(await (databases["SQLite"] as () => Promise<string>)());
    const models = createModels({ models: { small: { url, price: { input: 1, output: 2 } } }, store });
    expect(await ask(models)).toMatchObject({ tokens: { input: 40, output: 2 }, cost: 0.000044 });
    expect((await models.list()).use.month).toEqual({ tokens: 42, money: 0.000044, questions: 1 });
    expect(endpoint?.asked[0]?.maxTokens).toBe(100);
  });

  test("that reaches the budget makes the next model of the task answer, and nothing is asked of the first", async () => {
    const { input, output } = await most();
    const url = await start(completion({ prompt_tokens: input, completion_tokens: output }));
    const first = { url, budget: { day: { tokens: 2 * (input + output) } } };
    const models = createModels({
      models: { first, second: { url } },
      routing: { plan: ["first", "second"] },
      store: open(await (databases["SQLite"] as () => Promise<string>)()),
    });
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push(await ask(models, { model: undefined, task: "plan" }));
    expect(answers.map(({ model }) => model)).toEqual(["first", "first", "second"]);
    expect(answers[2]?.passedOver).toMatchObject([
      { model: "first", reason: expect.stringContaining("its budget of") },
    ]);
    expect(await models.plan({ task: "plan", prompt: "Say it.", maxOutputTokens: 100 })).toMatchObject({
      model: "second",
      tokens: { input, output },
      passedOver: [{ model: "first" }],
    });
    expect(endpoint?.asked.map(({ model }) => model)).toEqual(["first", "first", "second"]);
  });

  test("a model with a budget is not asked without a store", async () => {
    const url = await start("x");
    const models = createModels({ models: { small: { url, budget: { day: { tokens: 1_000_000 } } } } });
    await expect(ask(models)).rejects.toThrow("its budget cannot be counted without a store");
    expect(endpoint?.asked).toHaveLength(0);
  });

  test("the endpoint gets the maximum of an answer where a budget holds, and none where nobody says one", async () => {
    await used(["x"], {}, { maxOutputTokens: undefined });
    expect(endpoint?.asked[0]?.maxTokens).toBe(4_096);
    const models = createModels({ models: { small: { url: endpoint?.baseUrl ?? "" } } });
    await ask(models, { maxOutputTokens: undefined });
    expect(endpoint?.asked[1]?.maxTokens).toBeUndefined();
  });
});
