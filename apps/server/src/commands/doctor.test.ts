import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

function problemsIn(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => line.startsWith("✗"));
}

describe("doctor finds", () => {
  test("workflows with unknown tools, parameters, step types and models", async () => {
    const workflows = {
      tool: { steps: [{ id: "list", tool: "fs_lst", params: {} }] },
      unknown: { steps: [{ tool: "store_query", params: { kind: "note", limt: "${input.limit}" } }] },
      missing: { steps: [{ forEach: [1], steps: [{ tool: "store_put", params: { kind: "note" } }] }] },
      type: { steps: [{ tool: "store_query", params: { kind: "note", limit: "many" } }] },
      step: { steps: [{ step: "vlue", params: {} }] },
      model: { steps: [{ model: "small", prompt: "Sum up." }] },
      runs: { steps: [{ tool: "workflow_run", params: { name: "model" } }] },
      right: {
        steps: [
          { id: "notes", tool: "store_query", params: { kind: "note", limit: "${input.limit}" } },
          {
            model: "small",
            prompt: "Sum up.",
            fallback: [{ step: "value", params: { text: "${steps.notes.total}" } }],
          },
        ],
      },
    };
    const cwd = folder({ "toolpacks.config.json": JSON.stringify({ workflows }) });
    const env = { TOOLPACKS_MODEL_URL: "" };
    const { code, stdout } = await run(["doctor", "--config", "toolpacks.config.json"], { cwd, env });
    expect(code).toBe(1);
    expect(problemsIn(stdout)).toEqual([
      expect.stringContaining("workflows.tool: step list: "),
      expect.stringContaining("workflows.unknown: step step1: params: limt: unknown field, did you mean limit?"),
      expect.stringContaining("workflows.missing: step step1_1: params: record: required"),
      expect.stringContaining("workflows.type: step step1: params: limit: expected"),
      expect.stringContaining("workflows.step: step step1: no step type vlue"),
      expect.stringContaining('workflows.model: step step1: no model "small" is configured'),
      expect.stringContaining("workflows.runs: step step1: a step may not call workflow_run"),
    ]);
  });

  test("no problem with the bundled workflows, whatever is mounted", async () => {
    expect(await run(["doctor"])).toMatchObject({ code: 0 });
    const cwd = folder();
    expect((await run(["doctor", "--root", ".", "--write"], { cwd })).stdout).toContain("no problems");
  });

  test("an invalid store address", async () => {
    const cwd = folder({ "a-file": "text" });
    mkdirSync(path.join(cwd, "a-folder"));
    const doctor = async (store: string) => {
      const { code, stdout } = await run(["doctor", "--store", store], { cwd });
      return { code, problems: problemsIn(stdout) };
    };
    const through = path.join(cwd, "a-file");
    expect(await doctor("a-folder")).toEqual({
      code: 1,
      problems: [
        `✗ the store cannot be made: ${cwd}/a-folder is a folder; name a file in it, such as ${cwd}/a-folder/store.db`,
      ],
    });
    const told = `✗ the store cannot be made: ${through} is a file, and the path leads through it`;
    expect(await doctor("a-file/store.db")).toEqual({ code: 1, problems: [told] });
    expect(await doctor("a-file/deep/er/store.db")).toEqual({ code: 1, problems: [told] });
    const unreachable = await doctor("postgres://somebody:secret@127.0.0.1:1/nowhere");
    expect(unreachable).toEqual({ code: 1, problems: ["✗ the store: nothing listens at its address"] });
    expect((await doctor("new/folders/store.db")).code).toBe(0);
  });
});

/** A config file with a mistake of each kind. Each names its line. */
const mistaken = `{
  "expose": ["core", "isues"],
  "deny": ["fs_wrte", "fs_lst"],
  "roots": ["."],
  "packs": {
    "planner": { "keep": 3 }, "./missing.mjs": {},
    "search": { "timeout": 5, "list": { "show": 0 } }
  },
  "mcpServers": { "x": { "comand": "ls" } },
  "workflows": { "w": { "steps": [{ "tool": "fs_lst" }] } }
}
`;

test("doctor finds every mistake of a config file in one run, with its line and column", async () => {
  const cwd = folder({ "toolpacks.config.jsonc": mistaken });
  const file = path.join(cwd, "toolpacks.config.jsonc");
  const { code, stdout } = await run(["doctor"], { cwd });
  expect(code).toBe(1);
  const places = problemsIn(stdout).map((line) => line.slice(`✗ ${file}:`.length).split(": ").slice(0, 2).join(": "));
  expect(places.toSorted()).toEqual(
    [
      "2:22: expose",
      "3:12: deny",
      "3:23: deny",
      "6:18: packs.planner.keep",
      "7:17: packs.search.timeout",
      "7:41: packs.search.list.show",
      "6:31: packs../missing.mjs",
      "9:19: mcpServers.x is left out",
      "10:18: workflows.w",
    ].toSorted(),
  );
});

test("doctor prints problems first, then warnings, then the rest, and counts them", async () => {
  const { stdout } = await run(["doctor", "--require", "nothing"], { cwd: "/" });
  const marks = stdout
    .split("\n")
    .map((line) => line[0] ?? "")
    .filter((mark) => /[✗!✓]/.test(mark));
  expect([...new Set(marks)]).toEqual(["✗", "!", "✓"]);
  expect(marks).toEqual(marks.toSorted((a, b) => "✗!✓".indexOf(a) - "✗!✓".indexOf(b)));
  expect(stdout.trim().split("\n").at(-1)).toMatch(/^1 problem, \d+ warnings$/);
});

describe("doctor uses colours", () => {
  const escape = "\u001B[";

  test("on a terminal, unless NO_COLOR is set", async () => {
    const coloured = await run(["doctor"], { columns: 60 });
    expect(coloured.stdout).toContain(`${escape}32m✓${escape}39m config: none found`);
    const plain = await run(["doctor"], { columns: 60, env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain(escape);
  });

  test("through a pipe, only with FORCE_COLOR", async () => {
    expect((await run(["doctor"], { env: { FORCE_COLOR: "0" } })).stdout).not.toContain(escape);
    expect((await run(["doctor"], { env: { FORCE_COLOR: "1" } })).stdout).toContain(`${escape}32m✓`);
  });
});

test("call workflow_run exits with code 1 when the run failed, and prints the successful steps", async () => {
  const steps = [
    { id: "first", step: "value", params: { text: "kept" } },
    { id: "second", tool: "issue_show", params: { ids: ["bd-none"] } },
  ];
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ workflows: { half: { steps } } }) });
  const flags = ["--config", "toolpacks.config.json", "--store", path.join(cwd, "store.db")];
  const text = await run(["call", "workflow_run", '{"name": "half"}', ...flags], { cwd });
  expect(text.code).toBe(1);
  expect(text.stdout).toContain("first: ok, value | kept");
  expect(text.stderr).toMatch(
    /^not_found: workflow half failed, report \w+: 1 ok, 1 failed; step second: not_found: /m,
  );
  const json = await run(["call", "workflow_run", '{"name": "half"}', "--json", ...flags], { cwd });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    status: "failed",
    report: expect.any(String),
    steps: [{ step: "second", error: { code: "not_found" } }],
    succeeded: [{ step: "first", result: { text: "kept" } }],
  });
  expect(JSON.parse(json.stderr.slice(json.stderr.indexOf("{")))).toMatchObject({ code: "not_found" });
});
