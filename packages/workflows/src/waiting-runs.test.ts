import { createPack, defineKind } from "@toolpacks/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { emptyStore, openBench, type Bench, type BenchOptions } from "./bench.fixture.ts";

const opened: Bench[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const bench of opened.splice(0)) await bench.close();
});

/** Sets the clock forward. */
function turnClock(hours: number): void {
  const now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => now + hours * 3_600_000);
}

async function open(options: BenchOptions = {}): Promise<Bench> {
  const bench = await openBench({ definitions, ...options });
  opened.push(bench);
  return bench;
}

const definitions = {
  deploy: {
    input: { to: "string" },
    steps: [
      { id: "build", tool: "test_write", params: { value: "build" } },
      { id: "go", ask: "Deploy to ${input.to}?", choices: ["yes", "no"] },
      { when: "steps.go.answer == 'yes'", tool: "test_write", params: { value: "deploy ${steps.go.answer}" } },
    ],
  },
  form: {
    steps: [
      { id: "who", ask: "Who?", schema: { name: "string", age: "integer?" } },
      { tool: "test_write", params: { value: "${steps.who.name}" } },
    ],
  },
  two: {
    steps: [
      {
        id: "both",
        parallel: [
          { id: "left", ask: "Left?" },
          { id: "right", ask: "Right?" },
          { tool: "test_write", params: { value: "beside" } },
        ],
      },
      { tool: "test_write", params: { value: "${steps.left.answer} ${steps.right.answer}" } },
    ],
  },
  outer: { steps: [{ id: "inner", workflow: "deploy", input: { to: "inside" } }, { tool: "test_noop" }] },
  late: {
    steps: [{ id: "soon", ask: "Now?", deadline: "2h", fallback: [{ step: "value", params: { answer: "too late" } }] }],
  },
  rescued: {
    steps: [
      {
        id: "try",
        tool: "test_refuse",
        fallback: [
          { id: "ask", ask: "And now?" },
          { tool: "test_write", params: { value: "${steps.ask.answer}" } },
        ],
      },
    ],
  },
  pause: { steps: [{ wait: { for: "1h30m" } }, { tool: "test_write" }] },
  closed: {
    steps: [{ tool: "test_write", params: { value: "before" } }, { wait: { issue: "bd-1" } }, { tool: "test_write" }],
  },
};

const waiting = async (bench: Bench, name: string, input?: object) => {
  const { value, isError } = await bench.call("workflow_run", { name, ...(input && { input }) });
  expect([isError, value["status"]]).toEqual([false, "waiting"]);
  return String(value.report);
};

const writes = ({ done }: Bench) => done.calls.filter((call) => call.startsWith("test_write"));

describe("a step that asks", () => {
  test("ends the run as waiting with its question, and an answer goes on with it on another server", async () => {
    const store = emptyStore();
    const first = await openBench({ definitions, store });
    const answer = await first.call("workflow_run", { name: "deploy", input: { to: "production" } });
    expect(answer.isError).toBe(false);
    expect(answer.value).toMatchObject({
      status: "waiting",
      waits: [{ step: "go", question: "Deploy to production?", choices: ["yes", "no"], since: expect.any(String) }],
    });
    const report = String(answer.value.report);
    expect(answer.text).toContain(`asks: Deploy to production? (yes, no)`);
    expect(answer.text).toContain(`workflow_run {"resume": "${report}", "answer": …}`);
    const second = await open({ store });
    const shown = await second.call("workflow_report", { report });
    expect(shown.value).toMatchObject({ status: "waiting", waits: [{ step: "go", since: expect.any(String) }] });
    const listed = await second.call("workflow_list");
    expect(listed.value["waiting"]).toMatchObject([
      { report, workflow: "deploy", waits: expect.stringContaining("Deploy to") },
    ]);
    expect(listed.text).toContain(`report ${report}, asks: Deploy to production?`);

    const resumed = await second.call("workflow_run", { resume: report, answer: "yes" });
    expect(resumed.value).toMatchObject({ status: "ok", result: { wrote: "deploy yes" } });
    expect([...writes(first), ...writes(second)]).toEqual(['test_write "build"', 'test_write "deploy yes"']);
    expect((await second.call("workflow_report", { report })).value).toMatchObject({ status: "resumed" });
    expect((await second.call("workflow_list")).value["waiting"]).toBeUndefined();
    await first.client.close();
  });

  test("asks the client at once where it can be asked, and the run goes on", async () => {
    const bench = await open({ elicit: () => ({ action: "accept", content: { answer: "yes" } }) });
    const { value } = await bench.call("workflow_run", { name: "deploy", input: { to: "here" } });
    expect(value).toMatchObject({ status: "ok", result: { wrote: "deploy yes" } });
  });

  test.each(["decline", "cancel"] as const)("waits when the client's user answers with %s", async (action) => {
    const bench = await open({ elicit: () => ({ action }) });
    const report = await waiting(bench, "deploy", { to: "here" });
    expect((await bench.call("workflow_run", { resume: report, answer: "no" })).value["status"]).toBe("ok");
    expect(writes(bench)).toEqual(['test_write "build"']);
  });

  test("asks the client again when the run is resumed without an answer", async () => {
    const answers = ["decline", "accept"] as const;
    let asked = 0;
    const bench = await open({ elicit: () => ({ action: answers[asked++] ?? "cancel", content: { answer: "yes" } }) });
    const report = await waiting(bench, "deploy", { to: "here" });
    expect((await bench.call("workflow_run", { resume: report })).value).toMatchObject({ status: "ok" });
    expect(asked).toBe(2);
  });

  test("refuses an answer that does not fit with the field named, and still waits", async () => {
    const bench = await open();
    const deploy = await waiting(bench, "deploy", { to: "here" });
    const wrong = await bench.call("workflow_run", { resume: deploy, answer: "yess" });
    expect(wrong.text).toContain('answer: expected one of yes, no, received "yess"; did you mean yes?');
    const form = await waiting(bench, "form");
    const fields = await bench.call("workflow_run", { resume: form, answer: { name: 3 } });
    expect(fields.text).toMatch(/answer\.name: .*string/);
    expect((await bench.call("workflow_run", { resume: form, answer: "Ada" })).text).toContain(
      "answer: expected an object",
    );
    for (const report of [deploy, form]) {
      expect((await bench.call("workflow_report", { report })).value["status"]).toBe("waiting");
    }
    const { value } = await bench.call("workflow_run", { resume: form, answer: { name: "Ada" } });
    expect(value).toMatchObject({ status: "ok", result: { wrote: "Ada" } });
    expect((await bench.call("workflow_run", { resume: deploy, answer: "no" })).value["status"]).toBe("ok");
  });

  test("takes one of two answers at once, and tells the other caller", async () => {
    const store = emptyStore();
    const [one, other] = [await open({ store }), await open({ store })];
    const report = await waiting(one, "deploy", { to: "here" });
    const answers = await Promise.all(
      [one, other, one, other].map(({ call }) => call("workflow_run", { resume: report, answer: "yes" })),
    );
    const won = answers.filter(({ isError }) => !isError);
    expect(won).toHaveLength(1);
    for (const { text, isError } of answers) {
      if (isError) expect(text).toContain(`resume: report ${report} was resumed already`);
    }
    expect([...writes(one), ...writes(other)]).toEqual(['test_write "build"', 'test_write "deploy yes"']);
    opened.splice(opened.indexOf(other), 1);
    await other.client.close();
  });

  test("needs its name where several ask, which are answered one after another", async () => {
    const bench = await open();
    const report = await waiting(bench, "two");
    expect(writes(bench)).toEqual(['test_write "beside"']);
    expect((await bench.call("workflow_run", { resume: report, answer: "a" })).text).toContain(
      "step: several steps ask",
    );
    const next = await bench.call("workflow_run", { resume: report, answer: "a", step: "right" });
    expect(next.value).toMatchObject({ status: "waiting", waits: [{ step: "left" }] });
    const last = await bench.call("workflow_run", { resume: next.value.report, answer: "b" });
    expect(last.value).toMatchObject({ status: "ok", result: { wrote: "b a" } });
    expect(writes(bench)).toEqual(['test_write "beside"', 'test_write "b a"']);
  });

  test("waits inside another workflow, and inside a fallback without repeating the step that failed", async () => {
    const bench = await open();
    const outer = await waiting(bench, "outer");
    expect((await bench.call("workflow_run", { resume: outer, answer: "yes" })).value["status"]).toBe("ok");
    expect(writes(bench)).toEqual(['test_write "build"', 'test_write "deploy yes"']);
    const rescued = await waiting(bench, "rescued");
    expect((await bench.call("workflow_run", { resume: rescued, answer: "well" })).value["status"]).toBe("ok");
    expect(bench.done.calls.filter((call) => call === "test_refuse")).toHaveLength(1);
    expect(writes(bench).at(-1)).toBe('test_write "well"');
  });

  test("fails after its deadline, with its fallback", async () => {
    const bench = await open();
    const report = await waiting(bench, "late");
    const early = await bench.dispatcher.dispatch({ name: "workflow_run", args: { resume: report } });
    expect(JSON.stringify(early)).toContain("still asks: Now?");
    turnClock(2.1);
    const { value } = await bench.call("workflow_run", { resume: report });
    expect(value).toMatchObject({ status: "ok", result: { answer: "too late" } });
  });

  test("is not asked in a dry run, and an answer without a question is refused", async () => {
    const bench = await open({ elicit: () => ({ action: "accept", content: { answer: "yes" } }) });
    const dry = await bench.call("workflow_run", { name: "deploy", input: { to: "x" }, dryRun: true });
    expect(dry.value).toMatchObject({ status: "dry" });
    const failed = await bench.call("workflow_eval", { steps: [{ tool: "test_refuse" }] });
    const answer = await bench.call("workflow_run", { resume: failed.value.report, answer: "yes" });
    expect(answer.text).toContain("it asks nothing");
    expect((await bench.call("workflow_run", { name: "deploy", answer: "yes" })).text).toContain(
      "answer: expected the report",
    );
  });
});

const issue = defineKind({
  name: "issue",
  schema: z.object({ title: z.string() }),
});

describe("a step that waits", () => {
  test("goes on when its time has come, and not before", async () => {
    const bench = await open();
    const report = await waiting(bench, "pause");
    expect((await bench.call("workflow_run", { resume: report })).text).toContain("still waits until");
    turnClock(1.6);
    expect((await bench.call("workflow_run", { resume: report })).value["status"]).toBe("ok");
    expect(writes(bench)).toHaveLength(1);
  });

  test("goes on when its issue is closed, and is refused at the beginning where no pack keeps issues", async () => {
    const refused = await (await open()).call("workflow_run", { name: "closed" });
    expect(refused.text).toContain("it waits for an issue, and no pack keeps issues");
    expect(refused.value.report).toBeUndefined();
    const more = [createPack({ name: "issues", description: "x", budget: 1, kinds: [issue], tools: async () => [] })];
    const bench = await open({ more });
    await bench.store.put(issue, { title: "First" }, { id: "bd-1" });
    const report = await waiting(bench, "closed");
    expect((await bench.call("workflow_run", { resume: report })).text).toContain("still waits for issue bd-1");
    await bench.store.close(issue, "bd-1");
    expect((await bench.call("workflow_run", { resume: report })).value["status"]).toBe("ok");
    expect(writes(bench)).toHaveLength(2);
  });

  test("refuses a duration or a time that is none, where the definition has it", async () => {
    const bench = await open();
    const wrong = async (step: object) => (await bench.call("workflow_eval", { steps: [step] })).text;
    expect(await wrong({ wait: { for: "soon" } })).toContain("steps[0].wait.for: expected a duration such as 90s");
    expect(await wrong({ wait: { until: "2027-02-31x" } })).toContain("steps[0].wait.until: expected a time");
    expect(await wrong({ wait: { for: "1s", until: "2027-01-01" } })).toContain("expected one of until, for, issue");
    expect(await wrong({ ask: "x?", deadline: "never" })).toContain("steps[0].deadline: expected a duration");
  });
});
