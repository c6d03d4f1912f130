import { createCatalog, createDispatcher, type Rights } from "@toolpacks/core";
import { afterAll, expect, test } from "vitest";
import { emptyStore, testPack } from "./bench.fixture.ts";
import { workflows } from "./workflows.ts";

const definitions = {
  echo: { steps: [{ tool: "test_echo", params: { value: 1 } }] },
  value: { steps: [{ step: "value", params: { is: 1 } }] },
};

const store = emptyStore();
afterAll(() => store.end());
const catalog = createCatalog({
  packs: [testPack({ done: { calls: [], failures: 0 } }), workflows({ store, definitions })],
});

/** The error of the workflow's step when a caller of these rights runs it. Undefined if the step succeeds. */
async function stepError(workflow: string, rights: Rights): Promise<string | undefined> {
  const dispatcher = createDispatcher(await catalog.view(rights));
  const outcome = await dispatcher.dispatch({ name: "workflow_run", args: { name: workflow } });
  if (outcome.ok) return undefined;
  return /(?:not_found|denied|invalid_input): [^"\\]*/.exec(JSON.stringify(outcome))?.[0];
}

test("concurrent callers of one catalog run the steps of a workflow with their own rights", async () => {
  const cases: readonly (readonly [Rights, string | undefined])[] = [
    [{}, undefined],
    [{ deny: ["test_echo"] }, "denied: test_echo is denied by this server's configuration"],
    [{ grants: [{ facets: ["workflows"] }] }, "not_found: no tool is named "],
    [{ grants: [{ facets: ["workflows"], tools: ["test_echo"] }] }, undefined],
    [{ grants: [{ facets: ["test"], tools: ["workflow_run"] }] }, undefined],
  ];
  const errors = await Promise.all(cases.map(([rights]) => stepError("echo", rights)));
  expect(errors).toEqual(cases.map(([, error]) => error));
});

test("a step type is granted only with its pack", async () => {
  expect(await stepError("value", {})).toBeUndefined();
  const error = await stepError("value", { grants: [{ facets: ["test"], tools: ["workflow_run"] }] });
  expect(error).toContain("not_found: step: there is no step type");
});
