import { ConfigurationError, definedOnly, type ListPage } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { printError, printJson, printResult } from "../print.ts";
import { requireValue, withTools, type Tools, type ToolResult } from "./open-tools.ts";
import type { CallProgress } from "./tool-requests.ts";
import { readInput } from "./workflow-input.ts";
import type { ListedWorkflow } from "./workflows-list.ts";
import { answerHints, renderCounts, renderResult, type StepEntry, type Wait } from "./workflows-report.ts";

export interface RunFlags extends Flags {
  readonly input?: readonly string[];
  readonly resume?: string;
  readonly dryRun?: boolean;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly json?: boolean;
}

/** A run as `workflow_run` returns it. */
interface Run {
  readonly workflow: string;
  readonly status: string;
  /** The id of its report. */
  readonly report?: string;
  readonly reason?: string;
  readonly counts: Readonly<Record<string, number>>;
  /** The steps that failed, or would have run. */
  readonly steps?: readonly StepEntry[];
  /** What the run waits for. */
  readonly waits?: readonly Wait[];
  /** The result of the last step. */
  readonly result?: unknown;
}

/**
 * `toolpacks workflows run`: runs a workflow, or resumes a run. A line for each step goes to stderr, the result of the last step to stdout. The exit code is
 * 1 if the run fails.
 */
export async function runWorkflow(name: string | undefined, flags: RunFlags): Promise<void> {
  if ((name === undefined) === (flags.resume === undefined)) {
    throw new ConfigurationError("expected the name of a workflow, or --resume <run>");
  }
  await runAndShow(flags, (tools) => runArguments(tools, name, flags));
}

/** `toolpacks workflows answer`: answers the question of a waiting run, and goes on with it. */
export async function answerRun(
  resume: string,
  answer: string,
  flags: Flags & { readonly step?: string; readonly json?: boolean },
): Promise<void> {
  await runAndShow(flags, async () => definedOnly({ resume, answer, step: flags.step }));
}

async function runAndShow(
  flags: Flags & { readonly json?: boolean },
  argumentsOf: (tools: Tools) => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const result = await withTools(flags, async (tools) =>
    tools.call<Run>({ tool: "workflow_run", args: await argumentsOf(tools), onProgress: printStep }),
  );
  // Without a value the run did not start.
  const run = result.ok || result.value === undefined ? requireValue(result) : result.value;
  if (!result.ok) process.exitCode = 1;
  if (flags.json === true) printJson(run, 2);
  else showRun(run, result);
}

async function runArguments(tools: Tools, name: string | undefined, flags: RunFlags) {
  const { input: pairs = [], resume, dryRun, only, skip } = flags;
  const schema = pairs.length === 0 ? undefined : await inputSchema(tools, name);
  const input = pairs.length === 0 ? undefined : readInput(pairs, schema);
  return definedOnly({ name, resume, input, dryRun, only, skip });
}

async function inputSchema(tools: Tools, name: string | undefined): Promise<ListedWorkflow["input"]> {
  const listed = requireValue(await tools.call<ListPage<ListedWorkflow>>({ tool: "workflow_list", args: {} }));
  return listed.items.find((one) => one.name === name)?.input;
}

function printStep({ done, total, message = "" }: CallProgress): void {
  printError(`[${done}/${total ?? "?"}] ${message}`);
}

function showRun(
  { workflow, status, report, reason, counts, steps = [], result, waits = [] }: Run,
  { ok }: ToolResult<Run>,
): void {
  if (result !== undefined) printResult(renderResult(result));
  for (const entry of steps) printError(...renderStep(entry));
  printError(`${workflow} ${status}${reason === undefined ? "" : ` (${reason})`}: ${renderCounts(counts)}`);
  if (report === undefined) return;
  printError(`its steps: toolpacks workflows report ${report}`);
  for (const line of answerHints(report, waits)) printError(line);
  if (!ok) printError(`to go on: toolpacks workflows run --resume ${report}`);
}

/** Renders a step that failed, or would have run. */
function renderStep({ step, error, target }: StepEntry): readonly string[] {
  if (error === undefined) return [`step ${step} would call ${target ?? "no tool"}`];
  const { code, message, hint } = error;
  return [`step ${step}: ${code}: ${message}`, ...(hint === undefined ? [] : [`  ${hint}`])];
}
