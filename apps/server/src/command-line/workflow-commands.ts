import type { Command } from "commander";
import type { ReportFlags } from "../commands/workflows-report.ts";
import type { RunFlags } from "../commands/workflows-run.ts";
import { splitNames, type Flags } from "../config/settings.ts";
import { addMountFlags, collect } from "./flags.ts";
import { addProjectFlags } from "./record-flags.ts";

/** Adds the commands that run workflows and show their reports. */
export function addWorkflowCommands(program: Command): void {
  const workflows = program.command("workflows").description("list and run workflows, and show what runs did");

  addProjectFlags(
    workflows
      .command("list")
      .description("list the configured workflows, and the runs that wait")
      .option("--json", "print JSON"),
  ).action(async (flags: Flags & { json?: boolean }) =>
    (await import("../commands/workflows-list.ts")).listWorkflows(flags),
  );

  addMountFlags(
    workflows
      .command("run")
      .description("run a workflow; the exit code is 1 if the run fails")
      .argument("[name]", "name of the workflow")
      .option("--input <key=value>", "a value of its input; key:=<json> for JSON (repeatable)", collect)
      .option("--resume <run>", "go on with this run instead, without what succeeded")
      .option("--dry-run", "run only steps that change nothing, and print the other calls")
      .option("--only <steps>", "ids of the only steps to run", splitNames)
      .option("--skip <steps>", "ids of steps to leave out", splitNames)
      .option("--json", "print JSON"),
  ).action(async (name: string | undefined, flags: RunFlags) =>
    (await import("../commands/workflows-run.ts")).runWorkflow(name, flags),
  );

  addMountFlags(
    workflows
      .command("answer")
      .description("answer the question of a waiting run, and go on with it")
      .argument("<run>", "id of the run")
      .argument("<answer>", "text, one of the choices, or JSON where the question has fields")
      .option("--step <id>", "the step that asks, if several do")
      .option("--json", "print JSON"),
  ).action(async (run: string, answer: string, flags: Flags & { step?: string; json?: boolean }) =>
    (await import("../commands/workflows-run.ts")).answerRun(run, answer, flags),
  );

  addProjectFlags(
    workflows
      .command("report")
      .description("show what a run did, step by step")
      .argument("[run]", "id of the run (default: the last run)")
      .option("--workflow <name>", "the last run of this workflow")
      .option("--step <id>", "show the whole result of this step")
      .option("--json", "print JSON"),
  ).action(async (run: string | undefined, flags: ReportFlags) =>
    (await import("../commands/workflows-report.ts")).showReport(run, flags),
  );
}
