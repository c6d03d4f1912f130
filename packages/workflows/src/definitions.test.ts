import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { emptyStore, openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";
import { createLibrary } from "./definition/library.ts";
import { workflowSources } from "./definition/workflow-source.ts";
import { exampleWorkflows } from "./examples/example-workflows.ts";
import { workflows } from "./workflows.ts";

let bench: Bench | undefined;
const open = async (options: BenchOptions) => (bench = await openBench(options));
afterEach(() => bench?.close());

const noop = { tool: "test_noop" };

/** Finds all errors that the schema does not find. */
const check = (definitions: Record<string, unknown>) =>
  createLibrary(workflowSources.parse(definitions)).check(Object.keys(definitions));

describe("a definition", () => {
  test("in the form of tool and model steps loads unchanged", async () => {
    await check({
      project_audit: {
        description: "Audit the project",
        steps: [
          { tool: "fs_list", params: { path: "." } },
          { model: "gpt-5", prompt: "Summarise: ${steps.step1}" },
        ],
      },
    });
  });

  test.each([
    [{ a: { steps: [{ tool: "x", parms: {} }] } }, "definitions.a.steps[0].parms: unknown field"],
    [{ a: { steps: [] } }, "definitions.a.steps: expected at least"],
    [{ a: { steps: [{ model: "x" }] } }, "definitions.a.steps[0].prompt: required in a model step"],
    [{ a: { steps: [{ id: "x" }] } }, "definitions.a.steps[0]: expected one of tool, model"],
    [{ A: { steps: [noop] } }, "definitions.A: "],
    ["a", "definitions: expected workflows by name"],
    [{ run: { expose: "tool", steps: [noop] } }, "definitions.run.expose: there is a tool workflow_run already"],
  ])("%j is refused by the pack, and its place is named", (definitions, message) => {
    const options = { definitions: definitions as Record<string, unknown> };
    expect(() => workflows({ ...options, store: emptyStore() })).toThrow(`workflows: ${message}`);
  });

  test("with the name of any tool of the pack cannot be exposed", async () => {
    const pack = workflows({ definitions: {}, store: emptyStore() });
    for (const { name } of await pack.tools()) {
      const definitions = { [name.slice("workflow_".length)]: { expose: "tool", steps: [noop] } };
      expect(workflowSources.safeParse(definitions).success).toBe(false);
    }
  });

  test.each([
    [{ a: { steps: [noop], input: { x: "strng" } } }, "workflows.a.input.x: expected string, number"],
    [
      { a: { steps: [{ ...noop, params: { b: ["${1 +}"] } }] } },
      "workflows.a.steps[0].params.b[0]: ${1 +} is not an expression",
    ],
    [{ a: { steps: [{ workflow: "b" }] } }, 'workflows.a: step step1: there is no workflow "b"'],
    [{ a: { steps: [{ workflow: "b" }] }, b: { steps: [{ forEach: [1], steps: [{ workflow: "a" }] }] } }, "a → b → a"],
  ])("%j is refused, and its place is named", async (definitions, message) => {
    await expect(check(definitions)).rejects.toThrow(message);
  });

  test("of the package equals the parsed file", () => {
    expect(workflowSources.parse(exampleWorkflows)).toEqual(exampleWorkflows);
  });

  test("that many workflows call is checked once", async () => {
    const twice = (name: string) => ({ steps: [{ workflow: name }, { workflow: name }] });
    const chain = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`w${at}`, twice(`w${at + 1}`)] as const));
    await check({ ...chain, w40: { steps: [noop] } });
  });
});

describe("a configured workflow", () => {
  const greet = {
    description: "Greets somebody.",
    input: { name: "string", times: { type: "integer", default: 2, description: "how often" }, loud: "boolean?" },
    expose: "tool",
    steps: [{ tool: "test_echo", params: { value: "hello ${input.name} x${input.times}" } }],
  };

  test("is listed, and runs by name with validated input and defaults", async () => {
    await open({ definitions: { greet } });
    expect((await bench?.call("workflow_list"))?.value["items"]).toMatchObject([
      { name: "greet", steps: 1, tool: "workflow_greet", input: { required: ["name"] } },
    ]);
    const run = async (args: object) => bench?.call("workflow_run", { name: "greet", ...args });
    expect((await run({ input: { name: "Ada" } }))?.value["result"]).toEqual({ value: "hello Ada x2" });
    expect(await run({ input: { times: 1 } })).toMatchObject({ isError: true, text: expect.stringContaining("name") });
    expect((await run({ name: "gret" }))?.text).toContain('there is no workflow "gret", did you mean greet?');
    expect((await bench?.call("routine_eval", { name: "greet", input: { name: "Bo" } }))?.value["result"]).toEqual({
      value: "hello Bo x2",
    });
  });

  test("that is exposed is a tool and a prompt", async () => {
    await open({ definitions: { greet, quiet: { steps: [noop] } } });
    const { tools } = (await bench?.client.listTools()) ?? { tools: [] };
    const own = tools.find(({ name }) => name === "workflow_greet");
    expect(own?.inputSchema).toMatchObject({ properties: { name: { type: "string" } }, required: ["name"] });
    expect(tools.map(({ name }) => name)).not.toContain("workflow_quiet");
    expect((await bench?.call("workflow_greet", { name: "Ada", times: 1 }))?.value["result"]).toEqual({
      value: "hello Ada x1",
    });
    const { prompts } = (await bench?.client.listPrompts()) ?? {};
    expect(prompts).toMatchObject([
      {
        name: "workflow_greet",
        arguments: [
          { name: "name", required: true },
          { name: "times", required: false, description: "how often" },
          { name: "loud", required: false },
        ],
      },
    ]);
    const got = await bench?.client.getPrompt({ name: "workflow_greet", arguments: { name: "Ada" } });
    expect(JSON.stringify(got?.messages)).toContain("Run the workflow greet with input");
  });

  test("parses its prompt's arguments as the types of the input, and names a missing, unknown or wrong one", async () => {
    await open({ definitions: { greet } });
    const get = async (args: Record<string, string>) => {
      const got = await bench?.client.getPrompt({ name: "workflow_greet", arguments: args });
      return got?.messages.map(({ content }) => (content.type === "text" ? content.text : "")).join();
    };
    expect(await get({ name: "7", times: "2", loud: "true" })).toContain(
      'with input {"name":"7","times":2,"loud":true} with workflow_eval (name: "greet")',
    );
    expect(await get({ name: "Ada", times: "" })).toContain('with input {"name":"Ada"}');
    await expect(get({})).rejects.toThrow('prompt workflow_greet: argument "name" is required');
    await expect(get({ name: "" })).rejects.toThrow('argument "name" is required');
    await expect(get({ name: "Ada", tims: "2" })).rejects.toThrow('unknown argument "tims" (did you mean "times"?)');
    await expect(get({ name: "Ada", times: "two" })).rejects.toThrow(
      'argument "times": expected integer, received "two"',
    );
  });

  test("of a checked library runs as compiled", async () => {
    const library = createLibrary(workflowSources.parse({ greet }));
    await library.check(["greet"]);
    const compiled = await library.find("greet");
    await open({ definitions: library });
    expect((await bench?.call("workflow_greet", { name: "Ada" }))?.value["result"]).toEqual({ value: "hello Ada x2" });
    expect(await library.find("greet")).toBe(compiled);
  });

  test("asks in its prompt for the fields of its schema", async () => {
    const exposed = (input: object) => ({ expose: "tool", input, steps: [noop] });
    const day = { type: "string", description: "which" };
    await open({
      definitions: {
        any: exposed({ type: "object" }),
        dated: exposed({ type: "object", properties: { day, also: true }, required: ["day"] }),
      },
    });
    const { prompts } = (await bench?.client.listPrompts()) ?? { prompts: [] };
    expect(prompts.map((prompt) => prompt.arguments ?? [])).toEqual([
      [],
      [
        { name: "day", description: "which", required: true },
        { name: "also", required: false },
      ],
    ]);
  });

  test("works on a server that mounts only this pack", async () => {
    const store = emptyStore();
    const steps = [{ step: "value", params: { value: "hello ${input.name}" } }];
    const pack = workflows({ store, definitions: { greet: { ...greet, steps } } });
    const server = new McpServer({ name: "test", version: "1.0.0" });
    await pack.registerWith(server);
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await server.connect(serverSide);
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(clientSide);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "workflow_greet" }]);
    const { messages } = await client.getPrompt({ name: "workflow_greet", arguments: { name: "Ada" } });
    expect(JSON.stringify(messages)).toContain("with workflow_eval");
    const given = { name: "workflow_eval", arguments: { name: "greet", input: { name: "Ada" } } };
    expect((await client.callTool(given)).structuredContent).toMatchObject({ result: { value: "hello Ada" } });
    await client.close();
    await store.end();
  });

  test("runs another workflow with its own input", async () => {
    await open({
      definitions: {
        greet,
        party: {
          steps: [
            { id: "g", workflow: "greet", input: { name: "all" } },
            { tool: "test_echo", params: { value: "${steps.g.value}!" } },
          ],
        },
      },
    });
    expect((await bench?.call("workflow_run", { name: "party" }))?.value["result"]).toEqual({ value: "hello all x2!" });
    const report = await bench?.call("workflow_report");
    expect(report?.value.steps?.map(({ step }) => step)).toEqual(["g", "g/step1", "step2"]);
  });
});

test("workflow_steps explains every kind of step and every type that a pack adds", async () => {
  await open({});
  const { value, text } = (await bench?.call("workflow_steps")) ?? {};
  const types = value?.["types"] as { name: string; inline: boolean; schema: object }[];
  expect(types.map(({ name, inline }) => [name, inline])).toEqual([
    ["tool", true],
    ["model", false],
    ["workflow", true],
    ["parallel", true],
    ["forEach", true],
    ["step", true],
    ["ask", true],
    ["wait", true],
    ["issue", true],
    ["code", true],
    ["test_shout", false],
    ["test_break_step", false],
    ["value", true],
  ]);
  expect(types[4]?.schema).toMatchObject({ as: { type: "string" }, concurrency: { type: "integer" } });
  expect(text).toContain("every step:");
});
