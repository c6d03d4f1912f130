import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, roughPack, run, start } from "./command.fixture.ts";

const workflows = {
  greet: {
    description: "Greets.",
    input: {
      name: "string",
      times: "integer?",
      loud: "boolean?",
      tags: "string[]?",
      more: "object?",
    },
    steps: [{ id: "all", step: "value", params: { input: "${input}" } }],
  },
  broken: {
    description: "Fails in its second step.",
    steps: [
      { id: "list", tool: "issue_list" },
      { id: "show", tool: "issue_show", params: { ids: ["none"] } },
      { id: "after", tool: "issue_list" },
    ],
  },
  files: {
    description: "Makes a folder.",
    steps: [{ id: "make", tool: "fs_mkdir", params: { path: "made" } }],
  },
  long: {
    description: "Has a long result.",
    steps: [{ id: "text", step: "value", params: { text: "x".repeat(50_000) } }],
  },
};

function project() {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ workflows }) });
  const env = { TOOLPACKS_STORE: path.join(cwd, "store.db"), TOOLPACKS_WORKSPACE: "w" };
  return (...args: readonly string[]) => run(["workflows", ...args], { cwd, env });
}

/** The id of the run that stderr names. */
function runId(stderr: string): string {
  return /its steps: toolpacks workflows report (\S+)/.exec(stderr)?.[1] ?? "";
}

describe("toolpacks workflows", () => {
  test("list shows each workflow with the fields of its input", async () => {
    const { stdout } = await project()("list");
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(["name", "steps", "input", "description"]);
    expect(rows).toContainEqual(["greet", "1", "name times? loud? tags? more?", "Greets."]);
    expect(rows).toContainEqual(["broken", "3", "Fails in its second step."]);
    expect(JSON.parse((await project()("list", "--json")).stdout)).toMatchObject({ total: rows.length - 2 });
  });

  test("run gives input the types of the workflow, and prints progress on stderr and the result on stdout", async () => {
    const toolpacks = project();
    const input = ["name=7", "times=3", "loud=true", "tags=a", "tags=b", 'more:={"a": [1]}'];
    const ran = await toolpacks("run", "greet", ...input.flatMap((one) => ["--input", one]));
    expect(JSON.parse(ran.stdout)).toEqual({
      input: { name: "7", times: 3, loud: true, tags: ["a", "b"], more: { a: [1] } },
    });
    expect(ran.stderr).toMatch(/^\[1\/1\] all: ok\ngreet ok: 1 ok\nits steps: toolpacks workflows report \S+\n$/);
    expect(ran.code).toBe(0);
  });

  test.each([
    [["greet", "--input", "name"], 2, '--input: expected key=value, or key:=JSON, received "name"'],
    [["greet", "--input", "name:=x"], 2, "--input name: expected JSON"],
    [["greet", "--input", "name=x", "--input", "times=many"], 1, "times"],
    [["greet", "--input", "nam=x"], 1, "nam"],
    [["gret"], 1, 'there is no workflow "gret"'],
    [[], 2, "expected the name of a workflow, or --resume <run>"],
  ])("run %j is refused", async (args, code, problem) => {
    const refused = await project()("run", ...args);
    expect(refused).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(problem) });
  });

  test("a failed run has exit code 1, names the failed step, and is resumed", async () => {
    const toolpacks = project();
    const failed = await toolpacks("run", "broken");
    expect(failed.code).toBe(1);
    const id = runId(failed.stderr);
    expect(failed.stderr.split("\n")).toEqual([
      "[1/3] list: ok",
      "[2/3] show: failed",
      "[3/3] after: skipped",
      'step show: not_found: id: there is no issue with the id "none"',
      "  Find ids with issue_list.",
      "broken failed: 1 ok, 1 failed, 1 skipped",
      `its steps: toolpacks workflows report ${id}`,
      `to go on: toolpacks workflows run --resume ${id}`,
      "",
    ]);
    const resumed = await toolpacks("run", "--resume", id);
    expect(resumed).toMatchObject({ code: 1, stderr: expect.stringContaining("list: cached") });
    const json = await toolpacks("run", "broken", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ workflow: "broken", status: "failed", skipped: ["after"] });
    expect(json.code).toBe(1);
  });

  test("an interrupted run is cancelled, with exit code 1", async () => {
    const slow = { steps: [{ id: "wait", tool: "rough_wait" }] };
    const config = { workflows: { slow }, packs: { "./rough.mjs": true } };
    const cwd = folder({ "toolpacks.config.json": JSON.stringify(config), "rough.mjs": roughPack });
    const running = start(["workflows", "run", "slow", "--store", path.join(cwd, "store.db")], cwd);
    const store = { cwd, env: { TOOLPACKS_STORE: path.join(cwd, "store.db") } };
    await expect
      .poll(async () => (await run(["workflows", "report"], store)).stdout, { timeout: 10_000 })
      .toMatch(/^slow running\n/);
    running.child.kill("SIGINT");
    expect(await running.ended).toBe(1);
    expect(running.output.stderr).toContain("slow cancelled");
  });

  test("a run that may not write says what allows it", async () => {
    const toolpacks = project();
    const dry = await toolpacks("run", "files", "--root", ".", "--write", "--dry-run");
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining("step make would call fs_mkdir\n") });
    const refused = await toolpacks("run", "files", "--root", ".");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--write") });
    expect(await toolpacks("run", "files", "--root", ".", "--write")).toMatchObject({ code: 0 });
  });

  test("report shows the last run, a run by its id, or the whole result of a step", async () => {
    const toolpacks = project();
    expect(await toolpacks("report")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no workflow has run"),
    });
    const id = runId((await toolpacks("run", "broken")).stderr);
    const { stdout } = await toolpacks("report");
    const lines = stdout.split("\n");
    expect(lines.slice(0, 2)).toEqual(["broken failed", `run: ${id}`]);
    expect(lines).toContain("steps: 1 ok, 1 failed, 1 skipped");
    expect(stdout).toMatch(
      /\nshow {3}failed +\d+ {2}issue_show {2}not_found: id: there is no issue with the id "none"\n/,
    );
    expect(stdout).toMatch(/\nafter {2}skipped +0 .*step show failed\n/);
    await toolpacks("run", "long");
    expect((await toolpacks("report")).stdout).toMatch(/^long ok\n/);
    expect((await toolpacks("report", id)).stdout).toBe(stdout);
    expect((await toolpacks("report", "--workflow", "broken")).stdout).toBe(stdout);
    expect((await toolpacks("report", "--step", "text")).stdout).toBe(`${"x".repeat(50_000)}\n`);
    expect(JSON.parse((await toolpacks("report", id, "--json")).stdout)).toMatchObject({
      report: id,
      status: "failed",
    });
  });
});
