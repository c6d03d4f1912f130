import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

let bench: Bench;
const open = async (options?: BenchOptions) => (bench = await openBench(options));
afterEach(() => bench.close());

const run = (code: string, more: object = {}) => bench.call("workflow_eval", { code, ...more });

describe("workflow_eval with code", () => {
  test("calls tools, passes values on, and returns the script's value", async () => {
    await open();
    const answer = await run(
      `const list: number[] = [];
for (const n of input.numbers) {
  const { value } = await tools.test_echo({ value: n * 2 });
  list.push(value as number);
}
console.log("got", list);
return { list, sum: list.reduce((a, b) => a + b, 0) };`,
      { input: { numbers: [1, 2, 3] } },
    );
    console.log(answer.text, JSON.stringify(answer.value));
    expect(answer.value).toMatchObject({ status: "ok", result: { list: [2, 4, 6], sum: 12 } });
  });
  test("fails", async () => {
    await open({ results: "text" });
    for (const code of [
      "return nope.x",
      "await tools.test_refuse()",
      "try { await tools.test_refuse() } catch (e) { return [e.name, e.code, e.message, e.hint] }",
      "while(true){}",
      "await new Promise(()=>{})",
      "return tools.test.echo({value: 1})",
      "return [Date.now() - Date.now(), typeof Math.random(), await Promise.all([1,2].map(() => tools.test_meet({value: 2})))]",
      "return await tools.test_long()",
      "const x = await tools.test_range({value: 400000}); return [x.size, (await x.lines(1,1))[0].length, (await x.json()).items.length, (await x.grep(/399999/)).length]",
    ]) {
      const started = performance.now();
      const answer = await run(code);
      console.log(code, "=>", answer.text.slice(0, 600), performance.now() - started);
    }
    expect(1).toBe(1);
  });
});
