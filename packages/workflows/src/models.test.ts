import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createModels, type ModelsOptions } from "@toolpacks/models";
import { silence, startModelEndpoint, type ModelEndpoint, type ScriptedAnswer } from "@toolpacks/testkit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { openBench, type Bench } from "./bench.fixture.ts";

let bench: Bench | undefined;
let endpoint: ModelEndpoint | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await bench?.close();
  await endpoint?.close();
});

/** Models with the keys of the environment. */
const openModels = (models?: ModelsOptions["models"]) => createModels({ models, environment: process.env });

const schema = { title: "string", count: "integer" };

/** Runs a workflow of one model step after a tool's. */
async function ask(script: readonly ScriptedAnswer[], step: object = {}) {
  endpoint = await startModelEndpoint(script);
  const models = { small: { url: endpoint.baseUrl, model: "tiny-1", keyVariable: "TEST_MODEL_KEY" } };
  vi.stubEnv("TEST_MODEL_KEY", "secret-key");
  const steps = [
    { id: "read", tool: "test_echo", params: { value: "the text" } },
    { id: "say", model: "small", prompt: "Sum up: ${steps.read.value}", ...step },
  ];
  bench = await openBench({ definitions: { ask: { steps } }, workflows: { models: openModels(models) } });
  const answer = await bench.call("workflow_run", { name: "ask" });
  const report = await bench.call("workflow_report", { format: "json" });
  expect(report.text + answer.text + JSON.stringify(await keptRecords(bench))).not.toContain("secret-key");
  return { answer, entry: report.value.steps?.find((one) => one["step"] === "say") };
}

async function keptRecords({ store }: Bench): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const line of store.export()) lines.push(line);
  return lines;
}

describe("a model step", () => {
  test("asks the configured endpoint with the key of the environment, and returns its text", async () => {
    const { answer } = await ask(["In short."]);
    expect(answer.value).toMatchObject({ status: "ok", result: { text: "In short." } });
    expect(answer.text).toContain("\nsay: ok | In short.");
    expect(endpoint?.asked).toMatchObject([{ model: "tiny-1", key: "Bearer secret-key", prompt: "Sum up: the text" }]);
  });

  test("inserts its text in a longer text, a parameter or a prompt", async () => {
    endpoint = await startModelEndpoint(["In short.", "Shorter."]);
    const steps = [
      { id: "say", model: "small", prompt: "Sum up." },
      { id: "loud", step: "test_shout", params: { text: "${steps.say}" } },
      { id: "longer", tool: "test_echo", params: { value: "Said: ${steps.say}" } },
      { id: "again", model: "small", prompt: "${steps.say}" },
      { tool: "test_echo", params: { value: ["${steps.loud.text}", "${steps.longer.value}", "${steps.say}"] } },
    ];
    bench = await openBench({
      definitions: { ask: { steps } },
      workflows: { models: openModels({ small: { url: endpoint.baseUrl } }) },
    });
    const { value } = await bench.call("workflow_run", { name: "ask" });
    // A parameter of any type gets the result unchanged.
    expect(value).toMatchObject({
      status: "ok",
      result: { value: ["IN SHORT.", "Said: In short.", { text: "In short." }] },
    });
    expect(endpoint.asked.map(({ prompt }) => prompt)).toEqual(["Sum up.", "In short."]);
  });

  test("returns a value of its schema", async () => {
    const { answer } = await ask(['{"title": "T", "count": 2}'], { schema });
    expect(answer.value).toMatchObject({ status: "ok", result: { title: "T", count: 2 } });
    expect(endpoint?.asked[0]?.format).toMatchObject({ json_schema: { schema: { required: ["title", "count"] } } });
  });

  test.each([
    ["no JSON", "I would say two.", "the model's answer is not JSON"],
    ["JSON of another shape", '{"title": 3}', "does not match the schema"],
  ])("fails on %s, and is retried if retry says so", async (_, junk, message) => {
    const { entry } = await ask([junk], { schema });
    expect(entry).toMatchObject({
      status: "failed",
      error: { code: "unavailable", message: expect.stringContaining(message) },
    });
    await bench?.close();
    await endpoint?.close();
    const again = await ask([junk, '{"title": "T", "count": 2}'], { schema, retry: { attempts: 2, backoff: 1 } });
    expect(again.entry).toMatchObject({ status: "ok", attempts: 2 });
  });

  test("fails if the endpoint's response exceeds the limit", async () => {
    const { entry } = await ask([{ body: "x".repeat(17_000_000) }]);
    const message = "the endpoint of model tiny-1: the response is larger than 4,194,304 bytes";
    expect(entry).toMatchObject({ error: { code: "too_large", message } });
  });

  const message = (content: unknown, more: object = {}) => ({ message: { role: "assistant", content, ...more } });
  const completion = (content: unknown, more?: object) => JSON.stringify({ choices: [message(content, more)] });

  test.each([
    [
      "too many choices",
      `{"choices":[""${',""'.repeat(1_000_000)}]}`,
      "the response is made of more than 10,000 values",
    ],
    [
      "too many tool calls",
      completion("x", { tool_calls: Array(1_000_000).fill(0) }),
      "made of more than 10,000 values",
    ],
    [
      "nested too deep",
      `{"choices":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`,
      "the response is nested more than 32 levels deep",
    ],
    ["text that is not JSON", "no", "the response is not JSON"],
    ["JSON of another shape", '{"choices":[0]}', "answered something that is not a chat completion"],
    [
      "too many values in its text",
      completion(JSON.stringify(Array(200_000).fill(0))),
      "made of more than 100,000 values",
    ],
  ])("fails at once when its endpoint answers %s", async (_, body, problem) => {
    const { entry } = await ask([{ body }], { schema });
    const { error } = entry as { error: { message: string } };
    expect(error.message).toContain(problem);
  });

  test.each([307, 308, 302])("does not follow a redirect to another origin with %i", async (status) => {
    const received: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      received.push(request.url);
      response.end("{}");
    });
    const first = createServer((request, response) => {
      request.resume();
      const { port } = other.address() as AddressInfo;
      response.writeHead(status, { location: `http://localhost:${port}/elsewhere` }).end();
    });
    for (const server of [other, first]) await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(first.address() as AddressInfo).port}/v1`;
    bench = await openBench({
      definitions: { ask: { steps: [{ id: "say", model: "small", prompt: "private" }] } },
      workflows: { models: openModels({ small: { url } }) },
    });
    const { value } = await bench.call("workflow_run", { name: "ask" });
    expect(value.steps).toMatchObject([
      { error: { code: "unavailable", message: expect.stringContaining("it redirects to http://localhost:") } },
    ]);
    expect(received).toEqual([]);
    for (const server of [other, first]) server.close().closeAllConnections();
  });

  test("fails if the endpoint returns an error, times out or cannot be reached", async () => {
    const { entry } = await ask([503]);
    expect(entry).toMatchObject({
      error: { code: "unavailable", message: "the endpoint of model tiny-1 answered 503" },
    });
    await bench?.close();
    await endpoint?.close();
    const silent = await ask([silence], { timeout: 100 });
    expect(silent.entry).toMatchObject({ error: { message: "it took longer than 100 ms and was stopped" } });
    await endpoint?.close();
    const gone = await bench?.call("workflow_run", { name: "ask" });
    expect(gone?.value.steps).toMatchObject([
      { error: { code: "unavailable", message: "the endpoint of model tiny-1 cannot be reached" } },
    ]);
  });

  test("does not run in a dry run", async () => {
    await ask(["x"]);
    const { value } = (await bench?.call("workflow_run", { name: "ask", dryRun: true })) ?? {};
    expect(value).toMatchObject({ status: "dry", steps: [{ step: "say", params: { prompt: "Sum up: the text" } }] });
    expect(endpoint?.asked).toHaveLength(1);
  });

  test("says what to configure if the model or its key is missing", async () => {
    bench = await openBench({
      definitions: {
        ask: { steps: [{ model: "any", prompt: "x" }] },
        locked: { steps: [{ model: "locked", prompt: "x" }] },
      },
      workflows: { models: openModels({ locked: { url: "http://127.0.0.1:1/v1", keyVariable: "TEST_MODEL_KEY" } }) },
    });
    const run = async (name: string) => (await bench?.call("workflow_run", { name }))?.value.steps;
    expect(await run("ask")).toMatchObject([{ error: { message: 'no model "any" is configured' } }]);
    expect(await run("locked")).toMatchObject([{ error: { message: "model locked: its key is missing" } }]);
  });

  test("says which model of its task answered, and which were passed over and why", async () => {
    endpoint = await startModelEndpoint([503, "In short."]);
    const { baseUrl: url } = endpoint;
    const models = createModels({
      models: { first: { url }, second: { url } },
      routing: { summarize: ["first", "second"] },
    });
    bench = await openBench({
      definitions: { ask: { steps: [{ id: "say", task: "summarize", prompt: "Sum up." }] } },
      workflows: { models },
    });
    const { value } = await bench.call("workflow_run", { name: "ask" });
    expect(value).toMatchObject({ status: "ok", result: { text: "In short." } });
    const report = await bench.call("workflow_report", { format: "json" });
    expect(report.value.steps).toMatchObject([
      {
        target: "summarize",
        model: "second",
        passedOver: [{ model: "first", reason: "answered 503" }],
      },
    ]);
  });

  test("uses the environment's endpoint for any model name", async () => {
    endpoint = await startModelEndpoint(["yes"]);
    vi.stubEnv("TOOLPACKS_MODEL_URL", endpoint.baseUrl);
    vi.stubEnv("TOOLPACKS_MODEL", "house");
    bench = await openBench({
      definitions: {
        ask: {
          steps: [
            { model: "default", prompt: "x" },
            { model: "other", prompt: "y" },
          ],
        },
      },
      workflows: { models: openModels() },
    });
    expect((await bench.call("workflow_run", { name: "ask" })).value["status"]).toBe("ok");
    expect(endpoint.asked.map(({ model, key }) => [model, key])).toEqual([
      ["house", undefined],
      ["other", undefined],
    ]);
  });
});
