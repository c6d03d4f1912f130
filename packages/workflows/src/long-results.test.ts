import { newValueId, valueOwner, writeValue } from "@toolpacks/store";
import { expect, onTestFinished, test } from "vitest";
import { openBench } from "./bench.fixture.ts";
import { reportStepKind } from "./report/report-kind.ts";

test("a report that another program wrote opens only results of reports", async () => {
  const bench = await openBench();
  onTestFinished(() => bench.close());
  const { store } = bench;
  const input = { data: JSON.stringify("of another principal"), mimeType: "application/json", text: true };
  const { id } = await writeValue(store, input, { id: newValueId, owner: valueOwner("ann") });
  const { value } = await bench.call("workflow_eval", { steps: [{ id: "put", tool: "test_write" }] });
  const [step] = (await store.query(reportStepKind, { filter: { report: value.report ?? "" } })).items;
  const entry = JSON.stringify({ ...(JSON.parse(step?.data.entry ?? "") as object), handle: `relay://${id}` });
  await store.put(reportStepKind, { entry, result: null }, { id: step?.id ?? "", patch: true });
  const answer = await bench.call("workflow_report", { step: "put" });
  expect(answer).toMatchObject({ isError: true, text: `not_found: relay://${id}: no result has this handle` });
});
