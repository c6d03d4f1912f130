import { expect, test, describe } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serveRaw } from "../serve.fixture.ts";

const steps = [{ tool: "fs_list", params: {} }];

function project(workflow: object): string {
  const workflows = { wf: { expose: "tool", steps, ...workflow } };
  return folder({ "toolpacks.config.json": JSON.stringify({ workflows, expose: ["core", "workflows"] }) });
}

interface Expected {
  readonly place: string;
  readonly code: string;
}

const hostile: readonly (readonly [what: string, workflow: object, expected: Expected])[] = [
  ["ESC", { description: "d\u001B]0;PWN\u0007" }, { place: "workflows.wf.description", code: "U+001B" }],
  ["a change of direction", { description: "a \u202Egnp.exe" }, { place: "workflows.wf.description", code: "U+202E" }],
  ["a tag character", { description: "a \u{E0041}" }, { place: "workflows.wf.description", code: "U+E0041" }],
  ["a zero-width space", { description: "a\u200Bb" }, { place: "workflows.wf.description", code: "U+200B" }],
  [
    "a field's description",
    { input: { path: { type: "string", description: "a\u200Bb" } } },
    { place: "workflows.wf.input.path.description", code: "U+200B" },
  ],
  ["a field's name", { input: { "pa\u200Bth": "string" } }, { place: "workflows.wf.input", code: "U+200B" }],
];

test.each(["run", "eval", "list", "step", "report", "steps"])(
  "an exposed workflow named %s is refused, because a tool has this name",
  async (name) => {
    const config = { workflows: { [name]: { expose: "tool", steps } } };
    const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
    const { code, stderr } = await run(["tools", "--root", "."], { cwd, isTrusted: false });
    expect(code).toBe(2);
    expect(stderr).toContain(`workflows.${name}.expose: there is a tool workflow_${name} already`);
  },
);

describe.each([
  ["an untrusted file", false],
  ["a trusted file", true],
])("text of a workflow in %s", (_, isTrusted) => {
  test.each(hostile)("with %s is refused, and its field is named", async (_what, workflow, { place, code }) => {
    const cwd = project(workflow);
    const running = serveRaw(["--root", "."], { cwd, isTrusted });
    running.end();
    expect(await running.ended).toBe(2);
    expect(running.output.stdout).toBe("");
    expect(running.output.stderr).toContain(`${place}: `);
    expect(running.output.stderr).toContain(`received ${code}`);
    const { code: exit, stdout } = await run(["doctor", "--root", "."], { cwd, isTrusted });
    expect(exit).toBe(1);
    expect(stdout).toContain(`✗ `);
    expect(stdout).toContain(place);
  });

  test("with line breaks, other scripts and emoji reaches the client", async () => {
    const description = "Größe:\n\tпривет ⚠️ 日本";
    const running = serveRaw(["--root", "."], { cwd: project({ description }), isTrusted });
    running.send(initialize);
    await running.answer(1);
    running.send({ id: 2, method: "tools/list" });
    running.send({ id: 3, method: "prompts/list" });
    expect(JSON.stringify(await running.answer(2))).toContain(JSON.stringify(description).slice(1, -1));
    expect(JSON.stringify(await running.answer(3))).toContain(JSON.stringify(description).slice(1, -1));
    running.end();
    await running.ended;
  });
});
