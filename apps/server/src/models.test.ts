import path from "node:path";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { CreateMessageRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { startModelEndpoint, type ModelEndpoint } from "@toolpacks/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { folder, run } from "./run-cli.fixture.ts";
import { serverTransport } from "./serve.fixture.ts";

const endpoints: ModelEndpoint[] = [];
afterEach(async () => {
  for (const one of endpoints.splice(0)) await one.close();
});

async function startEndpoint(...script: Parameters<typeof startModelEndpoint>[0]): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(script);
  endpoints.push(endpoint);
  return endpoint;
}

const workflows = {
  plan: { steps: [{ id: "say", task: "plan", prompt: "Plan it." }] },
  twice: {
    steps: [
      { id: "one", model: "mine", prompt: "First." },
      { id: "two", model: "mine", prompt: "Second: ${steps.one}" },
    ],
  },
};

const configWith = (config: object) => ({ "toolpacks.config.json": JSON.stringify({ workflows, ...config }) });

const transportOf = (cwd: string) =>
  serverTransport(["--surface", "direct", "--expose", "core,workflows", "--store", path.join(cwd, "store.db")], {
    cwd,
  });

const info = { name: "test", version: "1.0.0" };
type Answering = ((text: string) => string) | undefined;

const lastText = (params: { messages: { content: unknown }[] }) =>
  String((params.messages.at(-1)?.content as { text?: unknown } | undefined)?.text);
const message = (text: string) => ({
  role: "assistant" as const,
  model: "theirs",
  content: { type: "text" as const, text },
});

/** Clients that answer for a model of their own, or have none. */
const clients = {
  async "a 1.x client"(cwd: string, answer: Answering) {
    const client = new FirstClient(info, { capabilities: answer ? { sampling: {} } : {} });
    if (answer) client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => message(answer(lastText(params))));
    await client.connect(transportOf(cwd));
    return client;
  },
  "a 2.x client of protocol 2025-11-25": (cwd: string, answer: Answering) => modernClient(cwd, answer, {}),
  "a 2.x client of protocol 2026-07-28": (cwd: string, answer: Answering) =>
    modernClient(cwd, answer, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
};

async function modernClient(cwd: string, answer: Answering, options: object) {
  const client = new ModernClient(info, { capabilities: answer ? { sampling: {} } : {}, ...options });
  if (answer) client.setRequestHandler("sampling/createMessage", ({ params }) => message(answer(lastText(params))));
  await client.connect(transportOf(cwd));
  return client;
}

describe.each(Object.entries(clients))("the model of %s", (_, connect) => {
  const runWorkflow = async (cwd: string, answer: Answering, name: string) => {
    const client = await connect(cwd, answer);
    try {
      const { content } = await client.callTool({ name: "workflow_run", arguments: { name } });
      return (content as { text: string }[]).map(({ text }) => text).join("\n");
    } finally {
      await client.close();
    }
  };

  test("answers steps of workflows, each question with its own answer", async () => {
    const cwd = folder(configWith({ models: { mine: { sampling: true } } }));
    const text = await runWorkflow(cwd, (asked) => `<${asked}>`, "twice");
    expect(text).toContain("<Second: <First.>>");
  });

  test("gives way to the next model where the client has none, and the run says so", async () => {
    const backup = await startEndpoint("From the backup.");
    const models = { mine: { sampling: true }, other: { url: backup.baseUrl } };
    const cwd = folder(configWith({ models, routing: { plan: ["mine", "other"] } }));
    const text = await runWorkflow(cwd, undefined, "plan");
    expect(text).toContain("From the backup.");
    expect(text).toMatch(
      /by other, mine passed over: (no client is connected|the client did not answer for its model)/,
    );
    expect(backup.asked).toHaveLength(1);
  });
});

describe("toolpacks models", () => {
  const env = { SMALL_KEY: "secret-key" };

  test("shows each model with its state, price, and use against its budgets", async () => {
    const endpoint = await startEndpoint("Done.");
    const small = {
      url: endpoint.baseUrl,
      model: "tiny-1",
      keyVariable: "SMALL_KEY",
      price: { input: 1, output: 2 },
      budget: { day: { tokens: 50_000 } },
    };
    const models = { small, locked: { url: endpoint.baseUrl, keyVariable: "NOT_SET" }, mine: { sampling: true } };
    const cwd = folder(
      configWith({ models, routing: { plan: ["small", "locked"] }, modelBudget: { month: { tokens: 90_000 } } }),
    );
    const toolpacks = (...args: readonly string[]) =>
      run([...args, "--store", path.join(cwd, "store.db")], { cwd, env });
    expect((await toolpacks("workflows", "run", "plan")).stdout).toContain("Done.");
    const { stdout } = await toolpacks("models", "--json");
    const { models: states } = JSON.parse(stdout) as { models: { name: string; use: { day: { tokens: number } } }[] };
    expect(states).toMatchObject([
      { name: "small", host: new URL(endpoint.baseUrl).host, model: "tiny-1", tasks: ["plan"], key: { isSet: true } },
      { name: "locked", key: { variable: "NOT_SET", isSet: false } },
      { name: "mine", kind: "sampling" },
    ]);
    const tokens = states[0]?.use.day.tokens ?? 0;
    expect(tokens).toBeGreaterThan(3);
    const table = await toolpacks("models", "--check");
    expect(table.stdout).toContain(`${tokens} of 50,000 tokens`);
    expect(table.stdout).toContain(`${tokens} of 90,000 tokens`);
    expect(table.stdout).toContain("responds");
    expect(table.stdout).toContain("$NOT_SET is missing");
    expect(stdout + table.stdout).not.toContain("secret-key");
    // Only the question of the workflow was asked.
    expect(endpoint.asked).toHaveLength(1);
  });

  test("shows no model of a config file that is not trusted, and none is asked", async () => {
    const endpoint = await startEndpoint("x");
    const cwd = folder(
      configWith({
        models: { evil: { url: endpoint.baseUrl, keyVariable: "SMALL_KEY" } },
        routing: { plan: ["evil"] },
      }),
    );
    const options = { cwd, env, isTrusted: false };
    const { stdout, stderr } = await run(["models"], options);
    expect(stdout).toBe("");
    expect(stderr).toContain("no models are configured");
    await run(["workflows", "run", "plan"], options);
    expect(endpoint.asked).toHaveLength(0);
  });
});

test.each<readonly [string, object, string]>([
  [
    "an unknown model of a task",
    { models: { small: { url: "http://h/v1" } }, routing: { plan: ["smal"] } },
    'routing.plan: unknown model "smal" (models: small)',
  ],
  ["no address", { models: { small: { model: "x" } } }, "models.small.url: expected an address, or sampling: true"],
  [
    "a price of the client's model",
    { models: { mine: { sampling: true, price: { input: 1, output: 1 } } } },
    "models.mine.price: expected none beside sampling",
  ],
  ["a key", { models: { small: { url: "http://h/v1", key: "secret" } } }, "models.small.key"],
  [
    "a budget in money without a price",
    { models: { small: { url: "http://h/v1", budget: { day: { money: 1 } } } } },
    "models.small.price: expected a price, because the budget counts money",
  ],
  [
    "a budget of all models in money, without a price",
    { models: { small: { url: "http://h/v1" } }, modelBudget: { month: { money: 1 } } },
    "models.small.price: expected a price, because modelBudget counts money",
  ],
  ["an empty budget", { modelBudget: { day: {} } }, "modelBudget.day: expected tokens, money or both"],
])("the config file with %s is refused by the name of the field", async (_, config, problem) => {
  const { stderr, code } = await run(["models"], { cwd: folder(configWith(config)) });
  expect(stderr).toContain(problem);
  expect(stderr).toContain("toolpacks.config.json:1:");
  expect(code).toBe(2);
});
