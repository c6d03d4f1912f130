import { foreignSchema, type Sample } from "@toolpacks/core";
import { silence, startModelEndpoint, type ModelEndpoint, type ScriptedAnswer } from "@toolpacks/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { createModels, type ModelsOptions } from "./create-models.ts";
import type { ModelQuestion } from "./models.ts";

const endpoints: ModelEndpoint[] = [];
afterEach(async () => {
  for (const one of endpoints.splice(0)) await one.close();
});

async function start(...answers: ScriptedAnswer[]): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(answers);
  endpoints.push(endpoint);
  return endpoint;
}

const { signal } = new AbortController();
const question = (more: Partial<ModelQuestion> = {}): ModelQuestion => ({
  task: "plan",
  prompt: "Plan it.",
  signal,
  ...more,
});

/** Models `first` and `second` that serve the task `plan` in this order. */
async function two(first: readonly ScriptedAnswer[], more: object = {}) {
  const [one, other] = [await start(...first), await start("From the second.")];
  const lines: string[] = [];
  const models = createModels({
    models: {
      first: { url: one.baseUrl, ...(first[0] === silence && { timeoutSeconds: 0.3 }), ...more },
      second: { url: other.baseUrl },
    },
    routing: { plan: ["first", "second"] },
    log: { info: (line) => lines.push(line), warn: (line) => lines.push(line) },
  });
  return { models, one, other, lines };
}

describe("a task", () => {
  test.each<readonly [string, ScriptedAnswer, string]>([
    ["fails", 503, "answered 503"],
    ["needs another key", 401, "answered 401"],
    ["stalls", silence, "it did not answer within 0.3 s"],
    ["limits its rate", { status: 429, headers: { "retry-after": "30" } }, "answered 429"],
    ["answers no JSON", { body: "secret-key" }, "the response is not JSON"],
    ["answers no completion", { body: "{}" }, "answered something that is not a chat completion"],
    ["answers too much", { body: "x".repeat(5_000_000) }, "the response is larger than 4,194,304 bytes"],
  ])("is asked of the next model where the first one %s", async (_, answer, reason) => {
    const { models, one, lines } = await two([answer]);
    const { value, model, passedOver } = await models.ask(question());
    expect({ value, model, passedOver }).toEqual({
      value: { text: "From the second." },
      model: "second",
      passedOver: [{ model: "first", reason }],
    });
    expect(one.asked).toHaveLength(1);
    expect(lines).toEqual([`model first was passed over: ${reason}`]);
  });

  test("is asked of the next model where the answer does not match the schema", async () => {
    const json = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const;
    const schema = foreignSchema(json);
    const [one, other] = [await start("I would say two."), await start('{"count": 2}')];
    const models = createModels({
      models: { first: { url: one.baseUrl }, second: { url: other.baseUrl } },
      routing: { plan: ["first", "second"] },
    });
    expect(await models.ask(question({ schema }))).toMatchObject({
      value: { count: 2 },
      passedOver: [{ model: "first", reason: "the model's answer is not JSON" }],
    });
  });

  test("does not ask a model again that limits its rate, for as long as it says", async () => {
    const { models, one } = await two([{ status: 429, headers: { "retry-after": "3000000" } }, "x"]);
    await models.ask(question());
    const { passedOver } = await models.ask(question());
    expect(passedOver).toMatchObject([
      { model: "first", reason: expect.stringMatching(/^it limits its rate, for (300|299) s more$/) },
    ]);
    expect(one.asked).toHaveLength(1);
    expect((await models.plan({ task: "plan", prompt: "x" })).model).toBe("second");
  });

  test("names each model and its reason where none answers", async () => {
    const [one, other] = [await start(500), await start("x")];
    const models = createModels({
      models: { first: { url: one.baseUrl }, second: { url: other.baseUrl, keyVariable: "NOT_SET" } },
      routing: { plan: ["first", "second"] },
    });
    await expect(models.ask(question())).rejects.toThrow(
      'no model for the task "plan" answered: first: answered 500; second: its key is missing',
    );
    expect(other.asked).toHaveLength(0);
  });

  test("is not asked further when the caller cancels", async () => {
    const { models, other } = await two([silence], { timeoutSeconds: 60 });
    await expect(models.ask(question({ signal: AbortSignal.timeout(200) }))).rejects.toThrow();
    expect(other.asked).toHaveLength(0);
  });

  test("that no one has routed goes to the cheapest model whose window is large enough", async () => {
    const url = (await start("x")).baseUrl;
    const price = (input: number) => ({ url, price: { input, output: input } });
    const models = createModels({
      models: {
        mine: { sampling: true },
        unknown: { url },
        dear: price(9),
        tiny: { ...price(1), window: 1_000 },
        cheap: { ...price(2), window: 8_000 },
        eyes: { ...price(0.5), takes: ["images"] },
      },
    });
    const chosen = async (prompt: string, more: object = {}) => (await models.plan({ prompt, ...more })).model;
    expect(await chosen("short")).toBe("tiny");
    expect(await chosen("word ".repeat(3_000))).toBe("cheap");
    expect(await chosen("word ".repeat(30_000))).toBe("dear");
    const { passedOver } = await models.plan({ prompt: "word ".repeat(3_000) });
    expect(passedOver).toEqual([
      { model: "eyes", reason: "it does not take text" },
      { model: "tiny", reason: expect.stringContaining("its context window of 1,000 tokens is too small for about") },
    ]);
    expect(
      (await models.plan({ prompt: "x", images: [{ data: "aGk=", mimeType: "image/png" }] })).model,
    ).toBeUndefined();
  });
});

describe("the client's own model", () => {
  const settings: ModelsOptions = { models: { mine: { sampling: true } } };
  const answering =
    (text: string, asked: object[] = []): Sample =>
    async (params) => {
      asked.push(params);
      return { role: "assistant", model: "theirs", content: { type: "text", text } };
    };

  test("is asked through the call, with JSON where there is a schema", async () => {
    const asked: object[] = [];
    const json = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] } as const;
    const schema = foreignSchema(json);
    const models = createModels(settings);
    const sample = answering('```json\n{"count": 2}\n```', asked);
    expect(
      await models.ask(question({ task: undefined, model: "mine", schema, system: "Be brief." }), { sample }),
    ).toMatchObject({
      value: { count: 2 },
      model: "mine",
    });
    expect(asked).toMatchObject([
      {
        maxTokens: 4_096,
        systemPrompt: expect.stringContaining("Be brief."),
        messages: [{ role: "user", content: { type: "text", text: "Plan it." } }],
      },
    ]);
  });

  test("gives way to the next model where no client is there", async () => {
    const other = await start("From the endpoint.");
    const models = createModels({
      models: { mine: { sampling: true }, other: { url: other.baseUrl } },
      routing: { plan: ["mine", "other"] },
    });
    expect(await models.ask(question())).toMatchObject({
      model: "other",
      passedOver: [{ model: "mine", reason: "no client is connected that offers its model" }],
    });
  });
});

describe("the state of a model", () => {
  test("has no key, and says if the endpoint responds where that is asked", async () => {
    const up = await start("x");
    const down = await start("x");
    await down.close();
    const models = createModels({
      models: {
        up: { url: up.baseUrl, keyVariable: "KEY", window: 8_000 },
        down: { url: down.baseUrl },
        locked: { url: up.baseUrl, keyVariable: "NOT_SET" },
      },
      routing: { plan: "up" },
      environment: { KEY: "secret-key" },
    });
    const { models: states } = await models.list({ check: true });
    expect(states).toMatchObject([
      { name: "up", key: { variable: "KEY", isSet: true }, tasks: ["plan"], window: 8_000, check: "responds" },
      { name: "down", check: "cannot be reached" },
      { name: "locked", key: { isSet: false }, problem: "its key is missing. Set $NOT_SET where the server starts." },
    ]);
    expect(JSON.stringify(states)).not.toContain("secret-key");
    expect((await models.list()).models[0]).toMatchObject({ check: undefined });
  });
});
