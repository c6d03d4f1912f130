import { detail, isObject, ToolError, type Outcome, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { isBatch, keepingId } from "./batch-steps.ts";
import { callTool } from "./read-value.ts";

const tokens = z.object({ input: z.int(), output: z.int() });

const answered = z.object({
  id: z.string(),
  status: z.enum(["answered", "failed", "not_asked", "planned"]),
  answer: z.string().optional().meta(detail("its start, if it is long")),
  more: z.string().optional().meta(detail("how to read the whole answer")),
  model: z.string().optional(),
  cost: z.number().optional(),
  passedOver: z.array(z.object({ model: z.string(), reason: z.string() })).optional(),
  kept: z.string().optional().meta(detail("the file or the record's id")),
  error: z.string().optional().meta(detail("why it has no answer, or why the answer was not kept")),
  tokens: tokens.optional().meta(detail("of a dry run: what it takes, 4,096 of an answer whose model has no maximum")),
});

export type Answered = z.output<typeof answered>;

export const batchOutput = z.object({
  report: z.string().optional().meta(detail("for workflow_report, and to resume")),
  prompts: z.array(answered),
  tokens: tokens.optional().meta(detail("of a dry run: of all")),
  cost: z
    .number()
    .optional()
    .meta(detail("of all prompts, as far as prices are known, also of those that an earlier run asked")),
  reason: z.string().optional().meta(detail("why the run ended early, or is not in its report")),
});

export type BatchAnswer = z.output<typeof batchOutput>;

/** Characters that all answers together may have in the tool's answer. */
const maxShown = 12_000;

interface Entry {
  readonly step: string;
  readonly status: string;
  readonly target?: string;
  readonly reason?: string;
  readonly model?: string;
  readonly cost?: number;
  readonly passedOver?: { model: string; reason: string }[];
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** What became of each prompt, from the outcome of the run and its report. @throws ToolError of a run that did not begin */
export async function readBatch(outcome: Outcome, context: ToolContext): Promise<BatchAnswer> {
  const { report, reason, unkept } = (outcome.value ?? {}) as Readonly<Record<string, string | undefined>>;
  if (report === undefined) {
    if (outcome.ok) throw new Error("the run of the prompts left no report");
    const { code, message, hint } = outcome.failure;
    throw new ToolError(code, message, hint);
  }
  const { steps, results } = (await callReport({ report, format: "data" }, context)) as unknown as Report;
  const asked = steps.filter(({ target }) => target === "prompt");
  const share = Math.max(120, Math.floor(maxShown / Math.max(1, asked.length)));
  const prompts: Answered[] = [];
  for (const entry of asked) {
    const kept = steps.find(({ step }) => step === keepingId(entry.step));
    const text = await textOf(entry, results, (step) => readStep(report, step, context));
    const answer = describeAnswer(entry, text, { share, report });
    prompts.push(text === undefined ? answer : { ...answer, ...describeKept(kept, results) });
  }
  return { report, prompts, cost: costOf(prompts), reason: unkept ?? reason };
}

interface Report {
  readonly steps: readonly Entry[];
  readonly results: Readonly<Record<string, unknown>>;
}

export function costOf(prompts: readonly Answered[]): number | undefined {
  const costs = prompts.flatMap(({ cost }) => cost ?? []);
  return costs.length === 0 ? undefined : costs.reduce((sum, one) => sum + one, 0);
}

/** @throws ToolError `invalid_input` for the report of another run */
export async function requireBatch(report: string, context: ToolContext): Promise<void> {
  const { plan } = await callReport({ report, format: "data" }, context);
  // The plan of a run that cannot be resumed is not shown, and the run says why it cannot.
  if (!isObject(plan) || isBatch(plan["steps"])) return;
  const hint = `workflow_run {"resume": "${report}"} goes on with it.`;
  throw new ToolError("invalid_input", `resume: report ${report} is not of a batch of prompts`, hint);
}

/** The answer of a prompt. The results have a handle in place of a long one. */
async function textOf(
  { step }: Entry,
  results: Report["results"],
  read: (step: string) => Promise<string>,
): Promise<string | undefined> {
  const result = results[step];
  if (isObject(result)) return String(result["text"]);
  return result === undefined ? undefined : read(step);
}

/** The start of a long answer, as far as a report shows it at once. */
async function readStep(report: string, step: string, context: ToolContext): Promise<string> {
  const { result } = await callReport({ report, step }, context);
  return isObject(result) && typeof result["text"] === "string" ? result["text"] : "";
}

async function callReport(args: object, context: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const outcome = await callTool("workflow_report", args, context);
  if (outcome.ok) return outcome.value ?? {};
  const { code, message, hint } = outcome.failure;
  throw new ToolError(code, message, hint);
}

function describeAnswer(
  entry: Entry,
  text: string | undefined,
  { share, report }: { readonly share: number; readonly report: string },
): Answered {
  const { step: id, status, error, reason, model, cost, passedOver } = entry;
  if (text === undefined) {
    const [, other] = missingAnswer.exec(error?.message ?? "") ?? [];
    if (other !== undefined) return { id, status: "not_asked", error: `${other} has no answer` };
    const why = error === undefined ? reason : describeError(error);
    return { id, status: status === "failed" ? "failed" : "not_asked", error: why };
  }
  const isWhole = text.length <= share;
  return {
    id,
    status: "answered",
    answer: isWhole ? text : `${text.slice(0, share).toWellFormed()}…`,
    more: isWhole ? undefined : `workflow_report {"report": "${report}", "step": "${id}"}`,
    model,
    cost,
    passedOver,
  };
}

/** The error of a step that needs the answer of a prompt without one. */
const missingAnswer = /^\$\{steps\.(\w+)\.text\}: there is no result/;

function describeError({ code, message, hint }: NonNullable<Entry["error"]>): string {
  return `${code}: ${message}${hint === undefined ? "" : `. ${hint}`}`;
}

function describeKept(entry: Entry | undefined, results: Report["results"]): Partial<Answered> {
  if (entry === undefined) return {};
  const result = results[entry.step];
  if (isObject(result)) {
    const kept = result["path"] ?? result["id"];
    return typeof kept === "string" ? { kept } : {};
  }
  return entry.error === undefined ? {} : { error: `not kept: ${describeError(entry.error)}` };
}

export function renderBatch({ report, prompts, tokens, cost, reason }: BatchAnswer): string {
  const count = (status: Answered["status"]) => prompts.filter((one) => one.status === status).length;
  const price = cost === undefined ? "" : `, cost ${tokens === undefined ? "" : "up to "}${round(cost)}`;
  const notKept = prompts.filter(({ status, error }) => status === "answered" && error !== undefined).length;
  const done =
    tokens === undefined
      ? `${count("answered")} of ${prompts.length} answered${notKept === 0 ? "" : `, ${notKept} of them not kept`}${price}`
      : `dry run of ${prompts.length}: about ${tokens.input} tokens in, up to ${tokens.output} out${price}`;
  return [
    `${done}${report === undefined ? "" : `, report ${report}`}${reason === undefined ? "" : ` (${reason})`}`,
    ...prompts.map(renderAnswered),
    ...(prompts.some(({ more }) => more !== undefined) ? [`workflow_report {report, step} shows a whole answer.`] : []),
    ...(report !== undefined && prompts.some(({ error }) => error !== undefined)
      ? [`prompt_run {"resume": "${report}"} tries again what failed, and asks no prompt again that has its answer.`]
      : []),
  ].join("\n");
}

function renderAnswered({ id, status, answer, model, cost, passedOver = [], kept, error, tokens }: Answered): string {
  const facts = [
    `${id}: ${status === "not_asked" ? "not asked" : status}`,
    ...(model === undefined ? [] : [`by ${model}`]),
    ...(tokens === undefined ? [] : [`about ${tokens.input} tokens in, up to ${tokens.output} out`]),
    ...(tokens === undefined || cost === undefined ? [] : [`cost ${round(cost)}`]),
    ...passedOver.map((one) => `${one.model} passed over: ${one.reason}`),
    ...(kept === undefined ? [] : [`kept in ${kept}`]),
  ].join(", ");
  return [facts, ...(answer === undefined ? [] : [answer]), ...(error === undefined ? [] : [error])].join(" | ");
}

function round(cost: number): string {
  return String(Number(cost.toPrecision(4)));
}
