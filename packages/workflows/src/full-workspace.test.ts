import { ToolError } from "@toolpacks/core";
import { afterEach, expect, test } from "vitest";
import { emptyStore, openBench, type Bench } from "./bench.fixture.ts";

let bench: Bench;
afterEach(() => bench.close());

test("a run whose report cannot be written returns the results of its steps, and changes nothing more", async () => {
  const store = emptyStore();
  const full: typeof store = {
    ...store,
    transaction: (work) => {
      if (bench.done.calls.length === 0) return store.transaction(work);
      throw new ToolError("too_large", "the workspace is full");
    },
  };
  bench = await openBench({ store: full });
  const write = (id: string) => ({ id, tool: "test_write", params: { value: id } });
  const answer = await bench.call("workflow_eval", { steps: [write("first"), write("second")] });
  expect(bench.done.calls).toEqual(['test_write "first"']);
  expect(answer.isError).toBe(true);
  expect(answer.value).toMatchObject({
    status: "failed",
    changed: true,
    counts: { ok: 1, failed: 1 },
    unkept: "the report cannot be written: the workspace is full",
    steps: [{ step: "second", status: "failed", error: { code: "too_large" } }],
    succeeded: [{ step: "first", result: { wrote: "first" } }],
  });
  expect(answer.text).toContain("the report cannot be written: the workspace is full");
  expect(answer.text).not.toContain("resume");
});
