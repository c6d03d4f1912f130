import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { everythingKept, openBench, type Bench } from "./bench.fixture.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await openBench({});
});
afterEach(() => bench.close());

const secret = "hunter2";

const kept = () => everythingKept(bench.store);

const shown = async (args: object) => {
  const { text, value } = await bench.call("workflow_report", args);
  return `${text}${JSON.stringify(value)}`;
};

const secrets = (text = "") => ({ env: [{ key: "DB_PASSWORD", value: secret }], line: `--password ${secret}`, text });

describe("a report of a finished run", () => {
  test.each([
    ["that only read", { tool: "test_noop" }, ""],
    ["that changed something", { tool: "test_write" }, ""],
    ["with a long result", { tool: "test_write" }, "long ".repeat(300_000)],
  ])("%s keeps no secret of its input, steps and results", async (_, last, text) => {
    const steps = [
      { id: "get", tool: "test_echo", params: { value: "${input}" } },
      { id: "use", tool: "test_echo", params: { value: "${steps.get.value.env[0].value}" } },
      last,
    ];
    const { value } = await bench.call("workflow_eval", { steps, input: secrets(text) });
    expect(value).toMatchObject({ status: "ok" });
    expect(bench.done.calls).toContain(`test_echo "${secret}"`);
    const step = { report: value.report, step: "get" };
    expect(await shown(step)).toContain("***");
    expect(await shown(step)).not.toContain(secret);
    expect(await shown({ report: value.report, format: "data" })).not.toContain(`password ${secret}`);
    expect(/password hunter2|DB_PASSWORD\W+value\W+hunter2/.test(await kept())).toBe(false);
  });

  test("shows a dry run's parameters and an error's message without secrets", async () => {
    const params = { value: { password: secret } };
    const dry = await bench.call("workflow_eval", { steps: [{ tool: "test_write", params }], dryRun: true });
    expect(await shown({ report: dry.value.report })).toContain('"password":"***"');
    expect((await kept()).includes(secret)).toBe(false);
  });
});

describe("a report of a run that can be resumed", () => {
  const steps = [
    { id: "get", tool: "test_echo", params: { value: { password: secret, text: "x".repeat(30_000) } } },
    { id: "break", tool: "test_flaky" },
    { id: "put", tool: "test_write", params: { value: "${steps.get.value.password}" } },
  ];

  test("shows no secret, passes them to the next run, and then keeps none", async () => {
    bench.done.failures = 1;
    const failed = await bench.call("workflow_eval", { steps });
    expect(failed.value).toMatchObject({ status: "failed" });
    const report = failed.value.report;
    for (const args of [{ report }, { report, format: "data" }, { report, step: "get" }]) {
      expect(await shown(args)).not.toContain(secret);
    }
    expect(/password\W+hunter2/.test(await kept())).toBe(true);

    const resumed = await bench.call("workflow_run", { resume: report });
    expect(resumed.value).toMatchObject({ status: "ok" });
    expect(bench.done.calls.at(-1)).toBe(`test_write "${secret}"`);
    expect(/password\W+hunter2/.test(await kept())).toBe(false);
    expect(await shown({ report: resumed.value.report, step: "get" })).toContain("***");
  });
});
