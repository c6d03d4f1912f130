import { createModels } from "@toolpacks/models";
import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

let bench: Bench;
const open = async (options?: BenchOptions) => (bench = await openBench(options));
afterEach(() => bench.close());

const evaluate = (steps: readonly object[], more: object = {}) => bench.call("workflow_eval", { steps, ...more });
const statuses = (answer: { value: Record<string, unknown> }) =>
  (answer.value["steps"] as { step: string; status: string }[]).map(({ step, status }) => `${step} ${status}`);

describe("workflow_eval", () => {
  test("runs steps in order, passes results with their type, and returns the last result", async () => {
    await open();
    const answer = await evaluate([
      { id: "first", tool: "test_echo", params: { value: { list: [1, 2, 3], on: true } } },
      { tool: "test_echo", params: { value: "${steps.first.value.list}" } },
      {
        tool: "test_echo",
        params: { value: "of ${steps.first.value.list[1]}, ${size(steps.first.value.list)} $${x}" },
      },
    ]);
    expect(answer.isError).toBe(false);
    expect(answer.value).toMatchObject({
      workflow: "inline",
      status: "ok",
      counts: { ok: 3 },
      result: { value: "of 2, 3 ${x}" },
    });
    expect(bench.done.calls[1]).toBe("test_echo [1,2,3]");
  });

  test("keeps a report under the returned id, and returns its generation", async () => {
    await open();
    const { value } = await evaluate([{ tool: "test_noop" }, { id: "end", tool: "test_echo", params: { value: 1 } }]);
    const report = await bench.call("workflow_report", { format: "data" });
    expect(report.value).toMatchObject({ report: value.report, status: "ok", results: { step1: { done: true } } });
    const record = (await bench.store.query((await import("./report/report-kind.ts")).reportKind)).items[0];
    expect(record).toMatchObject({ id: value.report, generation: report.value["generation"] });
    const changed = await evaluate([{ tool: "test_write" }]);
    const { generation } = (await bench.call("workflow_report", { report: changed.value.report })).value;
    expect(changed.value["generation"]).toBe(generation);
  });

  test("returns a line for each step with its result, and only the result of one step that read", async () => {
    await open({ results: "text" });
    const text = async (...steps: object[]) => (await evaluate(steps)).text;
    expect(await text({ tool: "test_echo", params: { value: 1 } })).toBe('{"value":1}');
    expect(await text({ tool: "test_noop" }, { tool: "test_echo", params: { value: 1 } })).toBe(
      'step1: ok, test_noop | {"done":true}\nstep2: ok | {"value":1}',
    );
    expect(await text({ tool: "test_write" }, { tool: "test_noop" })).toMatch(
      /^inline ok, report \w+\nstep1: ok, test_write \| \{"wrote":null\}\nstep2: ok \| \{"done":true\}$/,
    );
    expect(await text({ tool: "test_noop" }, { when: "false", tool: "test_noop" })).toMatch(
      /^inline ok, report \w+: 1 ok, 1 skipped\nskipped: step2\n/,
    );
  });

  test("shares the room of its answer between the results of its steps", async () => {
    await open({ results: "text" });
    const long = { tool: "test_echo", params: { value: "x".repeat(3_900) } };
    const { text } = await evaluate([long, long, long, long, { tool: "test_noop" }, { tool: "test_noop" }]);
    const lines = text.split("\n");
    expect(lines[0]).toMatch(/^inline ok, report/);
    for (const at of [1, 2, 3, 4]) expect(lines[at]).toMatch(/^step\d: ok, test_echo \| .{2996}… 916 characters more$/);
    expect(lines.slice(5)).toEqual([
      'step5: ok, test_noop | {"done":true}',
      'step6: ok | {"done":true}',
      'workflow_report {report, step} shows what was left out. "show": true on a step shows it here.',
    ]);
  });

  test("shows one line for a long result that later steps used, unless one of them failed", async () => {
    await open({ results: "text" });
    const long = { id: "long", tool: "test_echo", params: { value: "x".repeat(3_000) } };
    const use = { id: "use", tool: "test_echo", params: { value: "${size(steps.long.value)} long" } };
    const passed = (await evaluate([long, use])).text.split("\n");
    expect(passed.slice(1, 3)).toEqual(["long: ok, test_echo, 3,012 characters", 'use: ok | {"value":"3000 long"}']);
    const report = /report (\w+)/.exec(passed[0] ?? "")?.[1];
    expect((await bench.call("workflow_report", { report, step: "long" })).text).toContain("x".repeat(3_000));
    const shown = (await evaluate([{ ...long, show: true }, use])).text.split("\n");
    expect(shown[0]).toBe(`long: ok, test_echo | {"value":"${"x".repeat(3_000)}"}`);
    const failing = { ...use, id: "bad", params: { value: "${steps.long.none}" } };
    const failed = await evaluate([long, { ...use }, failing]);
    expect(failed.text).toContain(`{"value":"${"x".repeat(3_000)}"}`);
  });

  test("shows the size of a result in place of the result with show: false, also of the last step", async () => {
    await open({ results: "text" });
    const hidden = { id: "hidden", tool: "test_range", params: { value: 3 }, show: false };
    const [, ...lines] = (await evaluate([{ tool: "test_noop", show: false }, hidden])).text.split("\n");
    expect(lines).toEqual([
      "step1: ok, test_noop, 13 characters",
      "hidden: ok, test_range, 17 characters, 3 items",
      'workflow_report {report, step} shows what was left out. "show": true on a step shows it here.',
    ]);
    expect((await bench.call("workflow_report", { step: "hidden" })).text).toBe('{"items":[0,1,2]}');
  });

  test("says how many items of a list are shown, and how many there are", async () => {
    await open({ results: "text" });
    const items = (count: number, text = "") => Array.from({ length: count }, (_, at) => ({ at, text }));
    const value = (params: object) => ({ step: "value", params });
    const { text } = await evaluate([
      value({ issues: items(3), totalCount: 40 }),
      value({ rows: items(50, "x".repeat(180)) }),
      value({ total: 2, rows: items(2) }),
      value({ text: JSON.stringify({ total_count: 812, items: items(2) }) }),
    ]);
    const lines = text.split("\n");
    expect(lines[1]).toMatch(/^step1: ok, value, 3 items, all that the server sent \| \{"issues"/);
    expect(lines[2]).toMatch(/^step2: ok, value, relay:.*, 20 of 50 \| \{"rows":.{3992}… [\d,]+ characters more$/);
    expect(lines[3]).toBe('step3: ok, value | {"total":2,"rows":[{"at":0,"text":""},{"at":1,"text":""}]}');
    expect(lines[4]).toMatch(/^step4: ok, 2 items, all that the server sent \| \{"total_count":812/);
    const long = await evaluate([value({ rows: items(50, "x".repeat(180)), total: 60 })]);
    expect(long.text).toMatch(/result: relay:\S+, 50 of 60 items, all that the server sent; read it/);
  });

  test("keeps the report of every run, sequential or concurrent", async () => {
    await open();
    const run = async (value: number) => (await evaluate([{ tool: "test_echo", params: { value } }])).value.report;
    const reports = [await run(0), await run(1), ...(await Promise.all([2, 3, 4, 5].map(run))), await run(6)];
    expect(new Set(reports).size).toBe(7);
    expect((await bench.call("workflow_report")).value["report"]).toBe(reports.at(-1));
    for (const [value, id] of reports.entries()) {
      const { value: report } = await bench.call("workflow_report", { report: id, format: "data" });
      expect(report).toMatchObject({ status: "ok", results: { step1: { value } } });
    }
  });

  test("stops at a failed step and fails, with the steps that succeeded before it", async () => {
    await open();
    const kept = { id: "kept", tool: "test_echo", params: { value: "an early result" } };
    const answer = await evaluate([
      kept,
      { id: "long", tool: "test_long" },
      { tool: "test_refuse" },
      { tool: "test_noop" },
    ]);
    expect(answer.isError).toBe(true);
    const { report } = answer.value;
    const handle = expect.stringMatching(/^relay:\/\/[a-z2-7]{20}$/) as string;
    expect(answer.value).toMatchObject({
      report: expect.any(String),
      status: "failed",
      counts: { ok: 2, failed: 1, skipped: 1 },
      steps: [{ step: "step3", error: { code: "conflict", message: "somebody was faster", hint: "Look again." } }],
      succeeded: [
        { step: "kept", target: "test_echo", result: { value: "an early result" } },
        { step: "long", handle },
      ],
    });
    expect(answer.text.split("\n")).toEqual([
      `inline failed, report ${report}: 2 ok, 1 failed, 1 skipped`,
      expect.stringMatching(/^step3: failed, tool test_refuse.* \| conflict: somebody was faster$/),
      "Look again.",
      'kept: ok, test_echo | {"value":"an early result"}',
      expect.stringMatching(/^long: ok, test_long, relay:\/\/[a-z2-7]{20} \| start .*… [\d,]+ characters more$/),
      "skipped: step4",
      'workflow_report {report, step} shows what was left out. "show": true on a step shows it here.',
      expect.stringMatching(/^workflow_run \{"resume": "\w+"\} goes on/),
    ]);
    expect(bench.done.calls).not.toContain("test_noop");
    const { dispatcher } = bench;
    const outcome = await dispatcher.dispatch({
      name: "workflow_eval",
      args: { steps: [{ tool: "test_refuse" }] },
    });
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: "conflict", message: expect.stringContaining("step step1: conflict: somebody was faster") },
    });
  });

  test("names a wrong field as written in the call", async () => {
    await open();
    const open1 = await evaluate([{ tool: "test_echo", params: { value: "${steps.a" } }]);
    expect(open1.text).toMatch(/^invalid_input: steps\[0\]\.params\.value: /);
    const near = await evaluate([{ tool: "test_echo", param: { value: 1 } }]);
    expect(near.text).toContain("steps[0].param: unknown field, did you mean params?");
    const unknown = await evaluate([{ tool: "test_echo", params: { value: "${steps.b.value}" } }]);
    expect(unknown.text).toMatch(/^invalid_input: steps: step step1 refers to an unknown step b/);
  });

  test("continues with onError: continue of the call or of the step", async () => {
    await open();
    const steps = [{ tool: "test_refuse" }, { tool: "test_noop" }];
    expect((await evaluate(steps, { onError: "continue" })).value["counts"]).toEqual({ failed: 1, ok: 1 });
    const own = [{ tool: "test_refuse", onError: "continue" }, { tool: "test_noop" }];
    expect((await evaluate(own)).value["counts"]).toEqual({ failed: 1, ok: 1 });
  });

  test("runs fallback steps instead of a failed one", async () => {
    await open();
    const { value } = await evaluate([
      { id: "a", tool: "test_refuse", fallback: [{ tool: "test_echo", params: { value: "instead" } }] },
      { tool: "test_echo", params: { value: "${steps.a.value}" } },
    ]);
    expect(value).toMatchObject({ status: "ok", result: { value: "instead" } });
    const report = await bench.call("workflow_report");
    expect(report.value.steps?.map(({ step }) => step)).toEqual(["a", "a/fallback/a_1", "step2"]);
    expect(report.value.steps?.[0]).toMatchObject({ status: "ok", rescued: true, error: { code: "conflict" } });
  });

  test("retries as often as retry says, and not if it would fail the same way", async () => {
    await open();
    bench.done.failures = 2;
    const retry = { attempts: 3, backoff: 1 };
    expect((await evaluate([{ tool: "test_flaky", retry }])).value["status"]).toBe("ok");
    expect(bench.done.calls).toHaveLength(3);
    await evaluate([{ tool: "test_nope", retry }]);
    const report = await bench.call("workflow_report");
    expect(report.value.steps?.[0]).toMatchObject({ attempts: 1, error: { code: "not_found" } });
  });

  test.each(["test_noop", "test_write"])(
    "shows the last result of a step that ran several times, after %s",
    async (tool) => {
      await open();
      bench.done.failures = 1;
      const inner = [{ id: "flaky", tool: "test_flaky" }];
      const steps = [{ tool }, { id: "each", forEach: [1], retry: { attempts: 2, backoff: 1 }, steps: inner }];
      expect((await evaluate(steps)).value["status"]).toBe("ok");
      const { value } = await bench.call("workflow_report", { step: "each/0/flaky" });
      expect(value["result"]).toMatchObject({ text: '{"done":true}' });
    },
  );

  test("shows only the last long result of a step that ran several times", async () => {
    await open();
    bench.done.failures = 1;
    const inner = [{ id: "long", tool: "test_shrink" }, { tool: "test_flaky" }];
    const steps = [{ id: "each", forEach: [1], retry: { attempts: 2, backoff: 1 }, steps: inner }];
    expect((await evaluate(steps)).value["status"]).toBe("ok");
    const { value } = await bench.call("workflow_report", { step: "each/0/long", offset: 20_000 });
    expect(value["result"]).toMatchObject({ size: 30_000, text: expect.stringMatching(/^0{10000}$/) });
  });

  test.each([{ step: "test_break_step" }, { tool: "test_stall", timeout: 20 }])(
    "says that data may have changed if %o fails and its fallback only reads",
    async (step) => {
      await open({ workflows: { inline: ["test_break_step", "tool"] } });
      const { value } = await evaluate([{ ...step, fallback: [{ tool: "test_noop" }] }]);
      expect(value).toMatchObject({ status: "ok", changed: true });
    },
  );

  test("skips a step whose condition is false", async () => {
    await open();
    const { value } = await evaluate(
      [
        { id: "a", tool: "test_echo", params: { value: 3 } },
        { id: "b", when: "steps.a.value > 5", tool: "test_noop" },
        {
          id: "c",
          when: "${status.b == 'skipped' && !has(steps.b) && input.go}",
          tool: "test_echo",
          params: { value: 1 },
        },
      ],
      { input: { go: true } },
    );
    expect(value).toMatchObject({ status: "ok", counts: { ok: 2, skipped: 1 }, result: { value: 1 } });
  });

  test("runs steps in parallel, whose results later steps can use", async () => {
    await open();
    // Each ends when the other has begun.
    const meet = { tool: "test_meet", params: { value: 2 }, timeout: 20_000 };
    const { value } = await evaluate([
      {
        id: "both",
        parallel: [
          { id: "x", ...meet },
          { id: "y", ...meet },
        ],
      },
      { tool: "test_echo", params: { value: "${steps.x.met + steps.both.y.met}" } },
    ]);
    expect(value).toMatchObject({ status: "ok", result: { value: 4 } });
  });

  test("runs steps for each item, and returns a list of their results", async () => {
    await open();
    const { value } = await evaluate([
      { id: "a", tool: "test_echo", params: { value: ["x", "y"] } },
      {
        id: "each",
        forEach: "${steps.a.value}",
        as: "letter",
        steps: [{ id: "in", tool: "test_echo", params: { value: "${letter}${index}" } }],
      },
      { step: "value", params: { all: "${steps.each.map(one, one.value)}" } },
    ]);
    expect(value).toMatchObject({ status: "ok", counts: { ok: 5 }, result: { all: ["x0", "y1"] } });
  });

  test("makes no mutating call in a dry run", async () => {
    await open();
    const steps = [
      { id: "read", tool: "test_echo", params: { value: 7 } },
      { id: "write", tool: "test_write", params: { value: "${steps.read.value}" } },
      { id: "after", tool: "test_echo", params: { value: "${steps.write.wrote}" } },
    ];
    const answer = await evaluate(steps, { dryRun: true });
    expect(answer.value).toMatchObject({ status: "dry", counts: { ok: 1, dry: 2 } });
    expect(statuses(answer)).toEqual(["write dry", "after dry"]);
    expect(answer.text).toMatch(/test_write(, \d+ ms)? \| \{"value":7\}/);
    expect(bench.done.calls).toEqual(["test_echo 7"]);
    const asText = await evaluate(steps, { dryRun: "true" });
    expect(asText.isError).toBe(true);
    expect(asText.text).toContain("invalid_input: dryRun");
    expect(bench.done.calls).toEqual(["test_echo 7"]);
  });

  test("in which no step ran says so", async () => {
    await open();
    const steps = [{ id: "a", tool: "test_noop", when: "false" }];
    expect((await evaluate(steps)).value).toMatchObject({ status: "nothing_ran", counts: { skipped: 1 } });
  });

  test("reports progress after each step", async () => {
    await open();
    const seen: unknown[] = [];
    await bench.call(
      "workflow_eval",
      {
        steps: [
          { id: "a", tool: "test_noop" },
          { id: "b", parallel: [{ id: "c", forEach: [1, 2], steps: [{ tool: "test_noop" }] }] },
          { id: "d", forEach: [1, 2], steps: [{ tool: "test_noop" }] },
          { id: "e", tool: "test_refuse" },
        ],
      },
      { onprogress: ({ progress, total, message }) => seen.push([progress, total, message]) },
    );
    expect(seen).toEqual([
      [1, 4, "a: ok"],
      [1.5, 4, "c: ok"],
      [2, 4, "b: ok"],
      [2 + 1 / 3, 4, "d/0: done"],
      [2 + 2 / 3, 4, "d/1: done"],
      [3, 4, "d: ok"],
      [4, 4, "e: failed"],
    ]);
  });

  test("returns equal results for equal calls, except times and generations", async () => {
    await open();
    const steps = [
      {
        parallel: [
          { tool: "test_slow", params: { ms: 20 } },
          { tool: "test_noop" },
          { tool: "test_refuse", onError: "continue" },
        ],
      },
      { forEach: [3, 2, 1], concurrency: 3, steps: [{ tool: "test_slow", params: { ms: "${item * 5}" } }] },
    ];
    const reports: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await evaluate(steps);
      const { value } = await bench.call("workflow_report", { format: "data" });
      const { report: _report, generation: _generation, started: _started, ended: _ended, ...rest } = value;
      reports.push(JSON.stringify(rest, (key, one: unknown) => (key === "durationMs" ? 0 : one)));
    }
    expect(reports[0]).toBe(reports[1]);
  });
});

describe("steps that come with a call", () => {
  test("use only models and step types that the configuration allows", async () => {
    await open({ workflows: { models: createModels({ models: { m: { url: "http://127.0.0.1:1/v1" } } }) } });
    const asked = await evaluate([{ forEach: [1], steps: [{ model: "m", prompt: "x" }] }]);
    expect(asked.text).toContain("denied: step step1_1: model is not allowed");
    expect((await evaluate([{ step: "test_shout", params: { text: "x" } }])).text).toContain(
      "test_shout is not allowed",
    );
    await bench.close();
    await open({ workflows: { inline: ["test_shout"] } });
    expect((await evaluate([{ step: "test_shout", params: { text: "x" } }])).value["result"]).toEqual({ text: "X" });
    expect((await evaluate([{ tool: "test_noop" }])).text).toContain("tool is not allowed");
  });

  test("are all validated before one runs", async () => {
    await open();
    const wrong = async (...steps: object[]) => {
      const answer = await evaluate([{ tool: "test_noop" }, ...steps]);
      expect(answer.isError).toBe(true);
      return answer.text;
    };
    expect(await wrong({ tool: "test_noop", model: "x", prompt: "y" })).toContain(
      "steps[1].model: the step is a tool step already",
    );
    expect(await wrong({ tool: "test_noop", prams: {} })).toContain("steps[1].prams: unknown field");
    expect(await wrong({ parallel: [{ tool: "x", prompt: "y" }] })).toContain(
      "steps[1].parallel[0].prompt: a tool step has no prompt",
    );
    expect(await wrong({ tool: "x", params: { a: "${steps.stepp1}" } })).toContain("refers to an unknown step stepp1");
    expect(await wrong({ tool: "x", when: "1 +" })).toContain("steps[1].when");
    expect(await wrong({ tool: "x", params: { a: "${1" } })).toContain("is not closed");
    expect(await wrong({ id: "step1", tool: "x" }, { id: "step1", tool: "x" })).toContain(
      "another step is named step1",
    );
    expect(bench.done.calls).toEqual([]);
  });

  test("cannot start runs by calling a tool", async () => {
    await open();
    const { value } = await evaluate([{ tool: "routine_eval", params: { name: "x" } }]);
    expect(value.steps?.[0]).toMatchObject({
      error: { code: "invalid_input", message: "tool: a step may not call workflow_eval" },
    });
    expect((await evaluate([{ tool: "workflow_list" }])).value["status"]).toBe("ok");
  });
});
