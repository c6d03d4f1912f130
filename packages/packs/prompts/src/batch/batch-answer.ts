import { detail, isObject, ToolError, type Outcome, type ToolContext } from "@toolpacks/core";
import { z } from "zod";
import { keepingId } from "./batch-steps.ts";

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
  tokens: tokens.optional().meta(detail("of a dry run: the most that it takes")),
});

export type Answered = z.output<typeof answered>;

export const batchOutput = z.object({
  report: z.string().optional().meta(detail("for workflow_report, and to resume")),
  prompts: z.array(answered),
  tokens: tokens.optional().meta(detail("of a dry run: the most that all take")),
  cost: z.number().optional().meta(detail("of all; of a dry run the most, as far as prices are known")),
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
  readonly error?: { readonly code: string; readonly message: string };
}

/** What became of each prompt, from the outcome of the run and its report. @throws ToolError of a run that did not begin */
export async function readBatch(outcome: Outcome, context: ToolContext): Promise<BatchAnswer> {
  const { report, reason, unkept } = (outcome.value ?? {}) as Readonly<Record<string, string | undefined>>;
  if (report === undefined) {
    const { code, message, hint } = outcome.ok ? unreported : outcome.failure;
    throw new ToolError(code, message, hint);
  }
  const { steps, results } = await readReport(report, context);
  const asked = steps.filter(({ target }) => target === "prompt");
  const share = Math.max(200, Math.floor(maxShown / Math.max(1, asked.length)));
  const prompts: Answered[] = [];
  for (const entry of asked) {
    const kept = steps.find(({ step }) => step === keepingId(entry.step));
    const result = await resultOf(entry, results, (step) => readStep(report, step, context));
    const answer = describeAnswer(entry, result, { share, report });
    prompts.push(result === undefined ? answer : { ...answer, ...describeKept(kept, results) });
  }
  const costs = prompts.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const why = unkept ?? reason;
  return {
    report,
    prompts,
    ...(costs.length > 0 && { cost: costs.reduce((sum, one) => sum + one, 0) }),
    ...(why !== undefined && { reason: why }),
  };
}

const unreported = {
  code: "internal",
  message: "the run left no report",
  hint: "The server's log has the cause.",
} as const;

interface Report {
  readonly steps: readonly Entry[];
  readonly results: Readonly<Record<string, unknown>>;
}

async function readReport(report: string, context: ToolContext): Promise<Report> {
  const { steps = [], results = {} } = await callReport({ report, format: "data" }, context);
  return { steps: steps as readonly Entry[], results: results as Report["results"] };
}

/** The text of a long result, as far as a report shows it at once. */
async function readStep(report: string, step: string, context: ToolContext): Promise<string> {
  const { result } = await callReport({ report, step }, context);
  return isObject(result) && typeof result["text"] === "string" ? result["text"] : "";
}

async function callReport(args: object, context: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const request = { name: "workflow_report", args, context: { ...context, resultMode: "full" } } as const;
  const outcome = await context.access?.dispatch(request);
  if (outcome?.ok === true) return outcome.value ?? {};
  const { code, message, hint } = outcome?.failure ?? unreported;
  throw new ToolError(code, message, hint);
}

/** The result of a step that succeeded. A long one is a handle in the report's results. */
async function resultOf(
  { step }: Entry,
  results: Report["results"],
  read: (step: string) => Promise<string>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const result = results[step];
  if (isObject(result)) return result;
  if (typeof result !== "string") return undefined;
  const text = await read(step);
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // The report shows only the start of a very long result.
    return { text: "", handle: result };
  }
}

interface Showing {
  readonly share: number;
  readonly report: string;
}

function describeAnswer(entry: Entry, result: Report["results"] | undefined, { share, report }: Showing): Answered {
  const { step: id, status, error, reason } = entry;
  if (result === undefined) {
    const why = error === undefined ? reason : `${error.code}: ${error.message}`;
    return { id, status: status === "failed" ? "failed" : "not_asked", ...(why !== undefined && { error: why }) };
  }
  const { text, model, cost, passedOver } = result as Partial<Answered> & { readonly text: string };
  const isWhole = text.length <= share && !("handle" in result);
  return {
    id,
    status: "answered",
    answer: isWhole ? text : `${text.slice(0, share).toWellFormed()}…`,
    ...(!isWhole && { more: `workflow_report {"report": "${report}", "step": "${id}"}` }),
    ...(model !== undefined && { model }),
    ...(cost !== undefined && { cost }),
    ...(passedOver !== undefined && { passedOver }),
  };
}

function describeKept(entry: Entry | undefined, results: Report["results"]): Partial<Answered> {
  if (entry === undefined) return {};
  const result = results[entry.step];
  if (isObject(result)) {
    const kept = result["path"] ?? result["id"];
    return typeof kept === "string" ? { kept } : {};
  }
  return entry.error === undefined ? {} : { error: `not kept: ${entry.error.code}: ${entry.error.message}` };
}

/** A line for the batch, and a line for each prompt. */
export function renderBatch({ report, prompts, tokens, cost, reason }: BatchAnswer): string {
  const count = (status: Answered["status"]) => prompts.filter((one) => one.status === status).length;
  const price = cost === undefined ? "" : `, cost ${tokens === undefined ? "" : "at most "}${round(cost)}`;
  const done =
    tokens === undefined
      ? `${count("answered")} of ${prompts.length} answered${price}`
      : `dry run of ${prompts.length}: at most ${tokens.input} tokens in, ${tokens.output} out${price}`;
  return [
    `${done}${report === undefined ? "" : `, report ${report}`}${reason === undefined ? "" : ` (${reason})`}`,
    ...prompts.map(renderAnswered),
    ...(prompts.some(({ more }) => more !== undefined) ? [`workflow_report {report, step} shows a whole answer.`] : []),
    ...(count("failed") + count("not_asked") > 0 && report !== undefined
      ? [`prompt_run {"resume": "${report}"} goes on, and asks no prompt again that has its answer.`]
      : []),
  ].join("\n");
}

function renderAnswered({ id, status, answer, model, cost, passedOver = [], kept, error, tokens }: Answered): string {
  const facts = [
    `${id}: ${status === "not_asked" ? "not asked" : status}`,
    ...(model === undefined ? [] : [`by ${model}`]),
    ...(tokens === undefined ? [] : [`at most ${tokens.input} tokens in, ${tokens.output} out`]),
    ...(tokens === undefined || cost === undefined ? [] : [`cost ${round(cost)}`]),
    ...passedOver.map((one) => `${one.model} passed over: ${one.reason}`),
    ...(kept === undefined ? [] : [`kept in ${kept}`]),
  ].join(", ");
  return [facts, ...(answer === undefined ? [] : [answer]), ...(error === undefined ? [] : [error])].join(" | ");
}

function round(cost: number): string {
  return String(Number(cost.toPrecision(4)));
}
