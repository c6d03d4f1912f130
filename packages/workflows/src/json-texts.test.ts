import { definePack, defineTool, reply } from "@toolpacks/core";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { openBench, type Bench } from "./bench.fixture.ts";

const issue = '{"number":7,"id":12345678901234567890,"labels":[{"name":"bug"}]}';
const list = '[{"name":"a","size":1},{"name":"b","size":2}]';
const deep = `{"number":${"[".repeat(300)}${"]".repeat(300)}}`;

/** Tools that answer text alone, as many other servers do. */
const remotePack = definePack({
  name: "remote",
  description: "Answers text.",
  budget: 200,
  tools: () => [
    defineTool({
      name: "remote_say",
      description: "Say a text.",
      mutates: false,
      input: z.object({ text: z.string() }),
      output: z.looseObject({}),
      handler: ({ text }) => reply([{ type: "text", text }]),
    }),
    defineTool({
      name: "remote_take",
      description: "Take a list and a text.",
      mutates: false,
      input: z.object({ list: z.array(z.unknown()).optional(), text: z.string().optional() }),
      output: z.looseObject({}),
      handler: (taken) => taken,
    }),
  ],
});

let bench: Bench;
afterEach(() => bench.close());

async function evaluate(said: string, params: object, tool = "test_echo") {
  bench = await openBench({ more: [remotePack()] });
  const steps = [
    { id: "a", tool: "remote_say", params: { text: said } },
    { tool, params },
  ];
  return bench.call("workflow_eval", { steps });
}

describe("a result whose text is JSON", () => {
  test.each([
    ["${steps.a.number}", issue, 7],
    ["${steps.a.labels[0].name}", issue, "bug"],
    ["${steps.a.labels.0.name}", issue, "bug"],
    ["${steps.a.labels.map(l, l.name).join()}", issue, "bug"],
    ["${steps.a[1].name}", list, "b"],
    ['${steps.a.map(f, f.name).join("\\n")}', list, "a\nb"],
    ["${steps.a.filter(f, f.size > 1).size()}", list, 1],
    ["${size(steps.a.labels.0.name) + 1}", issue, 4],
    ["${'a.0.b' + steps.a.labels.0.name}", issue, "a.0.bbug"],
  ])("has the fields of it: %s", async (value, said, expected) => {
    expect((await evaluate(said, { value })).value["result"]).toEqual({ value: expected });
  });

  test.each([
    ["${steps.a.text}", issue, issue],
    ["say ${steps.a}", issue, `say ${issue}`],
    ["${steps.a.text}", list, list],
    ["${steps.a.text + '!'}", list, `${list}!`],
    ["${steps.a.text + '!'}", issue, `${issue}!`],
  ])("keeps its text with all digits: %s", async (value, said, expected) => {
    expect((await evaluate(said, { value })).value["result"]).toEqual({ value: expected });
  });

  test("is the list or the text that a parameter takes, and the list of a loop", async () => {
    const taken = await evaluate(list, { list: "${steps.a}", text: "${steps.a}" }, "remote_take");
    expect(taken.value["result"]).toEqual({ list: JSON.parse(list), text: list });
    const loop = { forEach: "${steps.a}", steps: [{ tool: "test_echo", params: { value: "${item.name}" } }] };
    const steps = [{ id: "a", tool: "remote_say", params: { text: list } }, loop];
    expect((await bench.call("workflow_eval", { steps })).value["result"]).toEqual([{ value: "a" }, { value: "b" }]);
  });

  test.each([
    ["is too deep", deep],
    ["is not JSON", "Created issue 7.\nSee the tracker.\n"],
  ])("that %s stays a text, and the failure shows its first lines", async (_why, said) => {
    const { text } = await evaluate(said, { value: "${steps.a.number}" });
    expect(text).toContain(`steps.a has no number: it is a text: ${said.slice(0, 20)}`);
  });
});

test("a failed reference shows what there is", async () => {
  expect((await evaluate(issue, { value: "${steps.a.nmber}" })).text).toContain(
    "steps.a has no nmber, did you mean number? (there is number, id, labels)",
  );
  await bench.close();
  expect((await evaluate(list, { value: "${steps.a.name}" })).text).toContain(
    'it is a list of 2; its first item is {"name":"a","size":1}',
  );
  await bench.close();
  expect((await evaluate(issue, { value: "${steps.a.nmber + 1}" })).text).toContain(
    "steps.a has text, number, id, labels",
  );
});

test.each(["${steps.a.sum}", "${steps.a.items[0].nme}", "${steps.a.items.map(i, i.name).size() + steps.a.cnt}"])(
  "a field that the schema of a result has not is refused before anything runs: %s",
  async (value) => {
    const counted = definePack({
      name: "counted",
      description: "Counts.",
      budget: 100,
      tools: () => [
        defineTool({
          name: "counted_list",
          description: "List what is counted.",
          mutates: true,
          input: z.object({}),
          output: z.object({ count: z.int(), items: z.array(z.object({ name: z.string() })) }),
          handler: () => ({ count: 1, items: [{ name: "a" }] }),
        }),
      ],
    });
    bench = await openBench({ more: [counted()] });
    const steps = [{ tool: "test_write" }, { id: "a", tool: "counted_list" }, { tool: "test_echo", params: { value } }];
    const { text } = await bench.call("workflow_eval", { steps });
    expect(text).toMatch(/^invalid_input: step step3: params\.value: .*has no field \w+; (nearest: |it has )/);
    expect(bench.done.calls).toEqual([]);
    const right = [...steps.slice(0, 2), { tool: "test_echo", params: { value: "${steps.a.items[0].name}" } }];
    expect((await bench.call("workflow_eval", { steps: right })).isError).toBe(false);
  },
);

test("a failed run says how to go on without repeating what succeeded", async () => {
  bench = await openBench();
  const steps = [
    { id: "a", tool: "test_write" },
    { tool: "test_echo", params: { value: "${steps.a.none}" } },
  ];
  const { text, value } = await bench.call("workflow_eval", { steps });
  expect(text).toContain('a: ok, test_write | {"wrote":null}');
  expect(text).toContain(`workflow_run {"resume": "${value.report}"} goes on without repeating what succeeded`);
});

test("the text of a report shows each step with its result", async () => {
  bench = await openBench({ results: "text" });
  const steps = [
    { tool: "test_echo", params: { value: "one\ntwo ".repeat(40) } },
    { tool: "test_long" },
    { tool: "test_refuse" },
  ];
  await bench.call("workflow_eval", { steps });
  const { text } = await bench.call("workflow_report");
  expect(text).toMatch(/step1: ok, tool test_echo.*"value":"(one\\ntwo ){40}"/);
  expect(text).toMatch(/step2: ok, tool test_long.*relay:\/\//);
  expect(text).toMatch(/step3: failed, tool test_refuse.*conflict/);
});
