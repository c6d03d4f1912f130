import { definePack, defineTool, reply } from "@toolpacks/core";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

let bench: Bench;
const open = async (options: BenchOptions = {}) => (bench = await openBench({ results: "text", ...options }));
afterEach(() => bench.close());

const run = async (code: string, more: object = {}) => (await bench.call("workflow_eval", { code, ...more })).text;

test("a script calls tools, passes values on, and its answer is what it printed and returned", async () => {
  await open();
  const text = await run(
    `const list: number[] = [];
for (const n of input.numbers) {
  const { value } = await tools.test_echo({ value: n * 2 });
  list.push(value as number);
}
console.log("got", list);
return { list, sum: list.reduce((a, b) => a + b, 0) };`,
    { input: { numbers: [1, 2, 3] } },
  );
  expect(text).toMatch(/^got \[2,4,6\]\n\{"list":\[2,4,6\],"sum":12\}\n3 calls; report \w+$/);
  const report = await bench.call("workflow_report");
  expect(report.text).toMatch(/code\/1: ok, tool test_echo/);
  expect(report.text).toContain("printed: got [2,4,6]");
});

test("a script calls tools of a pack, side by side, within the limit of the run", async () => {
  await open({ workflows: { limits: { maxConcurrency: 2 } } });
  const code = `const both = await Promise.all([1, 2].map(() => tools.test.meet({ value: 2 })));
const { echo } = tools.test;
return [both.length, (await echo({ value: "x" })).value];`;
  expect(await run(code)).toMatch(/^\[2,"x"\]\n3 calls/);
});

test("a failure is an exception with code, message and hint, and ends a script that does not catch it", async () => {
  await open();
  const code =
    "try { await tools.test_refuse() } catch (e) { return [e instanceof ToolError, e.code, e.message, e.hint] }";
  expect(await run(code)).toMatch(
    /^\[true,"conflict","somebody was faster","Look again."\]\n1 call, 1 failed \(caught\); report/,
  );
  const failed = await bench.call("workflow_eval", { code: "await tools.test_noop();\nawait tools.test_refuse();" });
  expect(failed.isError).toBe(true);
  expect(failed.text).toMatch(/code: failed, code.* \| conflict: .*somebody was faster/);
  expect(failed.text).not.toContain("code/1");
});

test("calls that are not awaited end before the script does, and a script may return nothing", async () => {
  await open();
  expect(await run("void tools.test_write({ value: 1 }); tools.test_refuse();")).toMatch(/^null\n2 calls, 1 failed/);
  expect(bench.done.calls).toContain("test_write 1");
});

test("a large result is read in parts, is its handle as an argument, and a long result of the script a handle", async () => {
  await open();
  const code = `const list = await tools.test_range({ value: 400_000 });
const { value } = await tools.test_echo({ value: list });
const { items } = await list.json();
return [typeof list.text, value === list.handle, items.length, list.size, (await list.grep(/,399999]/)).length];`;
  expect(await run(code)).toMatch(/^\["function",true,400000,2688901,1\]/);
  expect(await run('return "x".repeat(11_000)')).toMatch(/^x{11000}\n0 calls/);
  expect(await run('return "x".repeat(13_000)')).toMatch(/^result: relay:\/\/[a-z2-7]{20}; read it/);
});

test("a large result that is read again and again takes no memory after it was read", async () => {
  await open();
  const list = "const list = await tools.test_range({ value: 400_000 });";
  const read = "let sum = 0; for (let i = 0; i < 50; i += 1) sum += (await list.text()).length; return sum;";
  expect(await run(`${list}\n${read}`)).toMatch(/^134445050\n1 call;/);
});

test("JSON in the text of another server arrives as a value", async () => {
  const remote = definePack({
    name: "remote",
    description: "Answers text.",
    budget: 100,
    tools: () => [
      defineTool({
        name: "remote_say",
        description: "Say a text.",
        mutates: false,
        input: z.object({ text: z.string() }),
        output: z.looseObject({}),
        handler: ({ text }) => reply([{ type: "text", text }]),
      }),
    ],
  });
  await open({ more: [remote()] });
  const say = (text: string) => `(await tools.remote_say({ text: ${JSON.stringify(text)} }))`;
  expect(await run(`return [${say('{"n":7}')}.n, ${say("[1,2]")}[1], ${say("plain")}.text]`)).toMatch(
    /^\[7,2,"plain"\]/,
  );
});

test("a configured workflow may be a script, and a script a step among others", async () => {
  const double = { input: { n: "integer" }, code: "return { twice: input.n * 2 }" };
  const steps = [
    { id: "a", tool: "test_echo", params: { value: 4 } },
    { id: "sum", code: "return steps.a.value + (await tools.test_echo({ value: 1 })).value" },
    { id: "each", forEach: [1, 2], steps: [{ code: "return item + index" }] },
    { tool: "test_echo", params: { value: "${[steps.sum, steps.each[1]]}" } },
  ];
  await open({ definitions: { double, mixed: { steps } } });
  expect((await bench.call("workflow_run", { name: "double", input: { n: 4 } })).text).toMatch(
    /^\{"twice":8\}\n0 calls/,
  );
  expect((await bench.call("workflow_run", { name: "mixed" })).text).toContain('{"value":[5,3]}');
  const wrong = await bench.call("workflow_eval", { steps: [{ code: "return 1", retry: { attempts: 2 } }] });
  expect(wrong.text).toContain("steps[0].retry: a code step has no retry");
});

test("a script may only be part of a call where inline allows it", async () => {
  await open({ workflows: { inline: ["tool"] } });
  expect(await run("return 1")).toContain("denied: step code: code is not allowed");
});

test.each(["for (;;) {}", "await tools.test_slow({ ms: 60_000 })", "await ask('Go on?'); for (;;) {}"])(
  "a script ends at the timeout of its step, and when its caller cancels: %s",
  async (code) => {
    await open({ elicit: () => ({ action: "accept", content: { answer: "yes" } }) });
    const started = performance.now();
    const late = await bench.call("workflow_eval", { steps: [{ code, timeout: 300 }] });
    expect(late.text).toContain("unavailable: it took longer than 300 ms and was stopped");
    const cancelled = bench.call("workflow_eval", { code }, { signal: AbortSignal.timeout(300) });
    await expect(cancelled).rejects.toThrow();
    await bench.dispatcher.idle();
    expect(performance.now() - started).toBeLessThan(4_500);
    expect(await run("return 1")).toMatch(/^1\n/);
  },
);
