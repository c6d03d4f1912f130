// The workflow of docs/tutorials/gates.md, with a server of the test's in place of GitHub's.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { folder, run } from "../run-cli.fixture.ts";

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

interface Gate {
  readonly await_type: string;
  readonly await_id: string;
}

test("the workflow of the tutorial closes gates whose pull request, run or workflow has ended well, and notes the others", async () => {
  const [, text = ""] =
    /```yaml[^\n]*\n([^]*?)```/.exec(readFileSync(fileOf("../../../../docs/tutorials/gates.md"), "utf8")) ?? [];
  const config = parse(text) as { workflows: object; mcpServers: object };
  const answers = folder();
  const tell = (found: object) => writeFileSync(path.join(answers, "github.json"), JSON.stringify(found));
  const merged = { merged: true, state: "closed" };
  const open = { merged: false, state: "open" };
  tell({ 1: open, 2: open, 30: { status: "in_progress" }, 31: { status: "queued" } });
  const github = {
    command: process.execPath,
    args: [fileOf("github-server.fixture.ts"), path.join(answers, "github.json")],
  };
  const steps = {
    good: { steps: [{ step: "value", params: {} }] },
    bad: { steps: [{ tool: "issue_show", params: { ids: ["x"] } }] },
  };
  const cwd = folder({
    "toolpacks.config.json": JSON.stringify({
      ...config,
      mcpServers: { github },
      workflows: { ...config.workflows, ...steps },
    }),
  });
  const env = { TOOLPACKS_STORE: path.join(cwd, "store.db"), TOOLPACKS_WORKSPACE: "w" };
  const toolpacks = (...args: readonly string[]) => run(args, { cwd, env });
  const call = async (tool: string, args: object) => (await toolpacks("call", tool, JSON.stringify(args))).stdout;
  expect((await toolpacks("accept", "github")).code).toBe(0);
  const reportOf = async (name: string) => {
    await toolpacks("workflows", "run", name);
    const { stdout } = await toolpacks("call", "workflow_report", JSON.stringify({ workflow: name }), "--json");
    return (JSON.parse(stdout) as { report: string }).report;
  };
  const gates: readonly Gate[] = [
    { await_type: "gh:pr", await_id: "acme/shop#404" },
    { await_type: "gh:pr", await_id: "acme/shop#1" },
    { await_type: "gh:pr", await_id: "acme/shop#2" },
    { await_type: "gh:run", await_id: "acme/shop#30" },
    { await_type: "gh:run", await_id: "acme/shop#31" },
    { await_type: "workflow", await_id: await reportOf("good") },
    { await_type: "workflow", await_id: await reportOf("bad") },
  ];
  const issues = gates.flatMap((gate, at) => [
    { title: `gate ${at}`, issue_type: "gate", id: `g${at}`, ...gate },
    { title: `work ${at}`, id: `w${at}`, depends: [`g${at}`] },
  ]);
  await call("issue_create", { issues });
  const ready = async () => [...(await call("issue_ready", {})).matchAll(/^w\d/gm)].map(([id]) => id);
  const look = () => toolpacks("workflows", "run", "close_gates");
  await look();
  expect(await ready()).toEqual(["w5"]);
  tell({
    1: merged,
    2: { ...merged, merged: false },
    30: { status: "completed", conclusion: "success" },
    31: { status: "completed", conclusion: "failure" },
  });
  expect((await look()).code).toBe(0);
  expect(await ready()).toEqual(["w1", "w3", "w5"]);
  const notes = await call("issue_show", { ids: ["g2", "g4", "g6"] });
  expect(notes).toContain("It was closed and not merged");
  expect(notes).toContain("Its run ended with failure");
  expect(notes).toContain("The run failed");
  expect(await call("issue_show", { ids: ["g1"] })).toContain("close_reason: merged");
});
