import type { Rights } from "@toolpacks/core";
import { afterEach, describe, expect, test } from "vitest";
import { openBench, type Bench } from "./bench.fixture.ts";

let bench: Bench | undefined;
afterEach(() => bench?.close());

const definitions = {
  inspect_bakery: {
    description: "Inspect a bakery: ovens, flour. Then report.",
    input: { oven: "integer", notes: "string[]?", depth: { type: "integer", default: 2 } },
    steps: [{ tool: "test_noop" }],
  },
  greet: { description: "Greet a baker.", steps: [{ tool: "test_noop" }] },
  count_loaves: { description: "Count loaves.", expose: "tool" as const, steps: [{ tool: "test_noop" }] },
};

async function search(query: string, rights: Rights = {}): Promise<readonly string[]> {
  bench = await openBench({ definitions, surface: "discovery", rights });
  return (await bench.call("tool_search", { query })).text.split("\n");
}

describe("tool_search", () => {
  test("finds a configured workflow, with the call that runs it and its input, which runs", async () => {
    expect((await search("inspect the ovens of the bakery"))[0]).toBe(
      'workflow_run(name: "inspect_bakery", input: { oven: int, notes?: string[], depth?: int=2 }, dryRun?: boolean, only?: string[], skip?: string[], onError?: "stop"|"continue") [mutates]: Inspect a bakery: ovens, flour',
    );
    const args = { name: "inspect_bakery", input: { oven: 3 } };
    const ran = await bench?.call("tool_invoke", { name: "workflow_run", args });
    expect(ran?.isError).toBe(false);
    expect(bench?.done.calls).toEqual(["test_noop"]);
  });

  test("shows no input of a workflow that takes none", async () => {
    const [first] = await search("greet the baker");
    expect(first).toMatch(/^workflow_run\(name: "greet", dryRun\?: .*: Greet a baker$/);
  });

  test("finds an exposed workflow as its own tool only", async () => {
    const lines = await search("count the loaves");
    expect(lines[0]).toMatch(/^workflow_count_loaves\(/);
    expect(lines.filter((line) => line.includes('name: "count_loaves"'))).toEqual([]);
  });

  test.each<[string, Rights]>([
    ["a token grants no workflow_run", { grants: [{ facets: ["test"], tools: ["workflow_list"] }] }],
    ["workflow_run is denied", { deny: ["workflow_run"] }],
    ["the server is read-only", { readOnly: true }],
  ])("does not know of a workflow where %s", async (_, rights) => {
    expect((await search("inspect the ovens of the bakery", rights)).join("\n")).not.toContain("bakery");
  });
});
