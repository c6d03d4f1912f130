import { Client } from "@modelcontextprotocol/client";
import { startModelEndpoint, type ModelEndpoint, type ScriptedAnswer } from "@toolpacks/testkit";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

interface Answered {
  readonly id: string;
  readonly status: string;
  readonly answer?: string;
  readonly kept?: string;
  readonly error?: string;
  readonly more?: string;
  readonly cost?: number;
  readonly tokens?: { readonly input: number; readonly output: number };
}

interface BatchAnswer {
  readonly report?: string;
  readonly prompts: readonly Answered[];
  readonly cost?: number;
  readonly tokens?: { readonly input: number; readonly output: number };
}

const echo: ScriptedAnswer = ({ prompt }) => `<${prompt}>`;

async function startEndpoint(...script: readonly ScriptedAnswer[]): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(script);
  onTestFinished(() => endpoint.close());
  return endpoint;
}

interface Setting {
  readonly endpoint?: ModelEndpoint;
  readonly files?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly config?: object;
}

/** A project with prompts and one model, and its server. */
function project({ endpoint, files = {}, flags = ["--write"], config = {} }: Setting) {
  const models = endpoint && { small: { url: endpoint.baseUrl, price: { input: 1, output: 2 } } };
  const text = JSON.stringify({ packs: { prompts: true }, roots: ["."], ...(models && { models }), ...config });
  const home = folder({ "toolpacks.config.json": text, ...files });
  return { home, serve: () => serve(home, flags) };
}

async function serve(home: string, flags: readonly string[]) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const store = path.join(home, "store.db");
  const args = ["--trust", "--surface", "direct", "--store", store, "--results", "structured", ...flags];
  await client.connect(serverTransport([...args, "--log-level", "silent"], { cwd: home }));
  onTestFinished(() => client.close());
  const call = async (name: string, given: object, options = {}) => {
    const result = await client.callTool({ name, arguments: { ...given } }, { timeout: 60_000, ...options });
    const [block] = result.content as { text: string }[];
    return {
      text: block?.text ?? "",
      value: result.structuredContent as BatchAnswer,
      isError: result.isError === true,
    };
  };
  const run = async (prompts: readonly object[], more: object = {}, options = {}) =>
    call("prompt_run", { prompts, ...more }, options);
  return { client, call, run };
}

test("prompts of a group use files, results, records and the answers of earlier groups, and their answers are kept", async () => {
  const endpoint = await startEndpoint(echo);
  const { home, serve } = project({
    endpoint,
    files: { "a.md": "alpha", "log.md": "first\n", "page.md": "old words" },
  });
  const { call, run } = await serve();
  const note = { name: "about", text: "About {{what}} in {{place}}", task: "write" };
  await call("store_put", { kind: "prompt", record: note });
  const progress: number[] = [];
  const { value, isError } = await run(
    [
      { id: "file", text: "Read {{file}}", files: { file: "a.md" } },
      { id: "found", text: "Found {{hits}}", results: { hits: { tool: "fs_list", args: { glob: "*.md" } } } },
      {
        id: "stored",
        name: "about",
        values: { what: "x", place: { city: "Y" } },
        to: { file: "log.md", mode: "append" },
      },
      {
        id: "records",
        text: "{{all}}",
        results: { all: { tool: "store_query", args: { kind: "prompt" } } },
        to: { kind: "prompt", field: "description", record: { name: "made", text: "${steps.file.text}" } },
      },
      { group: 2, text: "{{one}} {{two}}", answers: { one: "file", two: "stored" }, to: { file: "out/both.md" } },
      { group: 2, text: "new", to: { file: "page.md", passage: "old" } },
      { group: 2, text: "start", to: { file: "log.md", mode: "prepend" } },
      { group: 3, text: "whole", to: { file: "a.md", mode: "replace" } },
      { group: 3, text: "made", to: { file: "new.md", mode: "append" } },
    ],
    {},
    { onprogress: ({ progress: at }: { progress: number }) => progress.push(at) },
  );
  expect(value.prompts.map(({ error }) => error)).toEqual(value.prompts.map(() => undefined));
  expect(isError).toBe(false);
  const answers = Object.fromEntries(value.prompts.map(({ id, answer }) => [id, answer]));
  expect(answers).toMatchObject({
    file: "<Read alpha>",
    stored: '<About x in {"city":"Y"}>',
    p5: '<<Read alpha> <About x in {"city":"Y"}>>',
  });
  expect(answers["found"]).toMatch(/a\.md[^]*page\.md/);
  expect(answers["records"]).toContain("about");
  const read = (name: string) => readFileSync(path.join(home, name), "utf8");
  expect(read("out/both.md")).toBe('<<Read alpha> <About x in {"city":"Y"}>>\n');
  expect(read("log.md")).toBe('<start>\nfirst\n<About x in {"city":"Y"}>\n');
  expect(read("page.md")).toBe("<new> words");
  expect([read("a.md"), read("new.md")]).toEqual(["<whole>\n", "<made>\n"]);
  const made = await call("store_query", { kind: "prompt", filter: { name: "made" }, fields: ["text", "description"] });
  expect(made.text).toContain("${steps.file.text}");
  expect(value.cost).toBeGreaterThan(0);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  expect(new Set(progress).size).toBe(progress.length);
  expect(progress.length).toBeGreaterThanOrEqual(9);
});

test("texts and values of others are text: no expression, no call, no argument", async () => {
  const endpoint = await startEndpoint(echo);
  const { home, serve } = project({ endpoint, files: { "a.md": "{{other}} ${input.literals[0]} $${x}" } });
  const { run } = await serve();
  const trap = { tool: "fs_write", args: { path: "trap.md", content: "caught" } };
  const { value } = await run([
    { text: "${steps.p2.text} $${ {{v}} {{f}}", values: { v: { ...trap, file: "a.md" } }, files: { f: "a.md" } },
    { id: "p2", text: "{{v}}", values: { v: "${steps.p1.text} {{v}}" } },
  ]);
  expect(endpoint.asked.map(({ prompt }) => prompt).toSorted()).toEqual([
    "${steps.p1.text} {{v}}",
    `\${steps.p2.text} $\${ ${JSON.stringify({ ...trap, file: "a.md" })} {{other}} \${input.literals[0]} $\${x}`,
  ]);
  expect(value.prompts.every(({ status }) => status === "answered")).toBe(true);
  expect(existsSync(path.join(home, "trap.md"))).toBe(false);
});

test("a prompt that fails stands alone; resuming asks only what has no answer", async () => {
  let isMended = false;
  const endpoint = await startEndpoint(({ prompt }) =>
    prompt === "bad" && !isMended ? 400 : `<${prompt.slice(0, 3)}>`,
  );
  const { home, serve } = project({ endpoint });
  const { call, run } = await serve();
  const first = await run([
    { id: "good", text: "good" },
    { id: "bad", text: "bad" },
    { id: "late", group: 2, text: "{{a}}!", answers: { a: "bad" }, to: { file: "late.md" } },
    { id: "fine", group: 2, text: "{{a}}?", answers: { a: "good" } },
  ]);
  expect(first.isError).toBe(true);
  expect(first.text).toMatch(/^2 of 4 answered/);
  expect(first.text).toMatch(/\nbad: failed \| unavailable: .*\nlate: not asked \| bad has no answer\n/);
  const [, report = ""] = /report (\w+)/.exec(first.text) ?? [];
  expect(existsSync(path.join(home, "late.md"))).toBe(false);
  isMended = true;
  const { value } = await call("prompt_run", { resume: report });
  expect(value.prompts.map(({ status, answer }) => [status, answer])).toEqual([
    ["answered", "<goo>"],
    ["answered", "<bad>"],
    ["answered", "<<ba>"],
    ["answered", "<<go>"],
  ]);
  const asked = endpoint.asked.map(({ prompt }) => prompt);
  expect(asked.filter((prompt) => prompt === "good")).toHaveLength(1);
  expect(asked.filter((prompt) => prompt.endsWith("?"))).toHaveLength(1);
  expect(readFileSync(path.join(home, "late.md"), "utf8")).toBe("<<ba>\n");
});

const mistakes: Readonly<Record<string, readonly [prompts: readonly object[], problem: string | RegExp]>> = {
  "neither a name nor a text": [[{}], "prompts.0.name, text: expected one of them"],
  "an unknown prompt": [[{ name: "zz" }], /^invalid_input: prompts\.0\.name: there is no open prompt "zz"/],
  "a missing and an unknown value": [
    [{ text: "{{focus}}", values: { fokus: "x" } }],
    "prompts.0.values.focus: expected a value of {{focus}}; prompts.0.values.fokus: the text has no {{fokus}}; did you mean focus?",
  ],
  "an answer of the same group": [
    [
      { id: "a", text: "x" },
      { text: "{{a}}", answers: { a: "a" } },
    ],
    "prompts.1.answers.a: a is of group 1, so this prompt needs a later one than 1",
  ],
  "an id twice": [
    [
      { id: "a", text: "x" },
      { id: "a", text: "y" },
    ],
    "prompts.1.id: another prompt is named a",
  ],
  "a result of a tool that writes": [
    [{ text: "{{a}}", results: { a: { tool: "fs_delete", args: { path: "a.md" } } } }],
    "prompts.0.results.a.tool: fs_delete may change something; expected a tool that only reads",
  ],
  "a target of two sorts": [
    [{ text: "x", to: { file: "a", kind: "note" } }],
    "prompts.0.to: expected either file or kind",
  ],
  "a model and a task": [[{ text: "x", task: "a", model: "b" }], "prompts.0.task, model: expected one of them"],
  "a file that is not there": [
    [{ text: "{{f}}", files: { f: "no.md" } }],
    /prompts\.0\.files\.f: no\.md: there is no such/,
  ],
  "a file that exists already": [
    [{ text: "x", to: { file: "a.md" } }],
    "prompts.0.to.file: a.md exists already; give another mode",
  ],
  "one file of two prompts": [
    [
      { text: "x", to: { file: "b.md" } },
      { text: "y", to: { file: "b.md" } },
    ],
    "prompts.1.to.file: prompts.0 creates b.md already; give it another mode",
  ],
  "a file outside": [[{ text: "x", to: { file: "../b.md" } }], /prompts\.0\.to\.file: .*outside the root/],
  "an unknown kind": [
    [{ text: "x", to: { kind: "nokind", field: "text" } }],
    'prompts.0.to.kind: there is no kind "nokind"',
  ],
  "an unknown argument of a result": [
    [{ text: "{{a}}", results: { a: { tool: "fs_list", args: { globb: "*" } } } }],
    /prompts\.0\.results\.a\.args: globb: unknown field/,
  ],
  "a model that is not configured": [
    [{ text: "x", model: "large" }],
    'prompts.0.model: no model "large" is configured',
  ],
  "101 prompts": [Array.from({ length: 101 }, () => ({ text: "x" })), /prompts: .*100/],
};

test("a batch with a mistake asks nothing, and names the mistakes", async () => {
  const endpoint = await startEndpoint(echo);
  const { serve } = project({ endpoint, files: { "a.md": "alpha" } });
  const { run } = await serve();
  for (const [what, [prompts, problem]] of Object.entries(mistakes)) {
    const { text, isError } = await run(prompts);
    expect(isError, what).toBe(true);
    if (typeof problem === "string") expect(text, what).toContain(problem);
    else expect(text, what).toMatch(problem);
  }
  expect(endpoint.asked).toEqual([]);
});

test("where writing is off, a prompt that writes is refused before any is asked", async () => {
  const endpoint = await startEndpoint(echo);
  const { serve } = project({ endpoint, flags: [] });
  const { run } = await serve();
  const { text } = await run([{ text: "x" }, { text: "y", to: { file: "y.md" } }]);
  expect(text).toMatch(/prompts\.1\.to: .*writing is off/);
  expect(endpoint.asked).toEqual([]);
});

test.each(["workflow_eval", "workflow_report", "workflow_run"])(
  "where %s is denied, nothing is asked",
  async (tool) => {
    const endpoint = await startEndpoint(echo);
    const { serve } = project({ endpoint, flags: ["--deny", tool] });
    const { run } = await serve();
    expect((await run([{ text: "x" }])).text).toContain(
      `denied: ${tool} is denied by this server's configuration\nA batch runs as a workflow`,
    );
    expect(endpoint.asked).toEqual([]);
  },
);

test("a report of another run is no batch", async () => {
  const { serve } = project({ endpoint: await startEndpoint(echo) });
  const { call } = await serve();
  const failed = await call("workflow_eval", { steps: [{ tool: "fs_read", params: { path: "no.md" } }] });
  const [, report = ""] = /report (\w+)/.exec(failed.text) ?? [];
  const { text } = await call("prompt_run", { resume: report });
  expect(text).toContain(`invalid_input: resume: report ${report} is not of a batch of prompts`);
});

test("long answers are shown from their start, with their model and price, and whole by the report", async () => {
  const endpoint = await startEndpoint(({ prompt }) => `"${prompt}" `.repeat(6_000));
  const { serve } = project({ endpoint });
  const { run, call } = await serve();
  const { value } = await run([{ id: "long", text: "é" }, { text: "b" }]);
  const [long, other] = value.prompts;
  expect(long?.answer).toMatch(/^("é" )+("é?)?…$/);
  expect(long?.answer?.length).toBeGreaterThan(5_000);
  expect(long).toMatchObject({ model: "small" });
  expect(value.cost).toBeCloseTo((long?.cost ?? 0) + (other?.cost ?? 0), 9);
  expect(long?.cost).toBeGreaterThan(0.01);
  const whole = await call("workflow_report", { report: value.report, step: "long" });
  expect(JSON.stringify(whole.value)).toContain(JSON.stringify('"é" "é" "é" "é"').slice(1, -1));
});

test("an answer that is a relay handle, an empty one and one that is too long to insert are not used", async () => {
  const endpoint = await startEndpoint(({ prompt }) =>
    prompt === "handle" ? "relay://abcdefghijklmnopqrst" : prompt === "empty" ? "" : "x".repeat(90_000),
  );
  const { home, serve } = project({ endpoint });
  const { run } = await serve();
  const { text } = await run([
    { id: "h", text: "handle", to: { file: "h.md" } },
    { id: "e", text: "empty", to: { file: "e.md" } },
    { id: "x", text: "long" },
    { id: "y", group: 2, text: "{{a}}{{a}}{{a}}{{a}}{{a}}", answers: { a: "x" } },
  ]);
  expect(text).toContain("h: failed | denied: the answer is a relay handle");
  expect(text).toContain("e: failed | unavailable: the model answered nothing");
  expect(text).toMatch(/y: failed \| too_large: text: 450,000 characters with its values, more than 400,000/);
  expect([existsSync(path.join(home, "h.md")), existsSync(path.join(home, "e.md"))]).toEqual([false, false]);
});

test("without a model there is no prompt_run, and a call says why", async () => {
  const { serve } = project({});
  const { client, run } = await serve();
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("prompt_run");
  expect((await run([{ text: "x" }])).text).toContain("no model is configured");
});

test("a dry run counts tokens and price, asks nothing and writes nothing", async () => {
  const endpoint = await startEndpoint(echo);
  const { home, serve } = project({ endpoint, files: { "a.md": "word ".repeat(1_000) } });
  const { run } = await serve();
  const { value, text } = await run(
    [
      { text: "Read {{f}}", files: { f: "a.md" } },
      { group: 2, text: "{{a}}", answers: { a: "p1" }, to: { file: "b.md" } },
    ],
    { dryRun: true },
  );
  const [first, second] = value.prompts;
  expect([first?.status, second?.status]).toEqual(["planned", "planned"]);
  expect(first?.tokens?.input).toBeGreaterThan(1_000);
  // The answer of the first prompt may be as long as the model allows.
  expect(second?.tokens?.input).toBeGreaterThanOrEqual(first?.tokens?.output ?? Infinity);
  const sum = { input: 0, output: 0 };
  for (const { tokens } of value.prompts) {
    sum.input += tokens?.input ?? 0;
    sum.output += tokens?.output ?? 0;
  }
  expect(value.tokens).toEqual(sum);
  expect(value.cost).toBeCloseTo((sum.input + 2 * sum.output) / 1e6, 9);
  expect(text).toContain('"tokens"');
  expect(endpoint.asked).toEqual([]);
  expect(existsSync(path.join(home, "b.md"))).toBe(false);
});

test("a stored prompt is a step of a workflow", async () => {
  const endpoint = await startEndpoint(echo);
  const steps = [
    { id: "say", step: "prompt", params: { name: "greet", values: { who: "${input.who}" } } },
    { step: "value", params: { said: "${steps.say.text}" } },
  ];
  const { serve } = project({ endpoint, config: { workflows: { greeting: { steps } } } });
  const { call } = await serve();
  await call("store_put", { kind: "prompt", record: { name: "greet", text: "Hello {{who}}" } });
  const { value } = await call("workflow_run", { name: "greeting", input: { who: "Ada" } });
  expect(value).toMatchObject({ status: "ok", result: { said: "<Hello Ada>" } });
});
