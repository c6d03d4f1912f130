import { ToolError, withoutCompaction, withTimeout, type Failure, type Outcome } from "@toolpacks/core";
import { fillIn, jsonSize, outcomeValue, withTexts } from "@toolpacks/expressions";
import pLimit from "p-limit";
import type { BatchCall, BatchOptions, BatchResult } from "./batch.ts";

/** A checked call. */
export interface CheckedCall {
  readonly id: string;
  readonly call: BatchCall;
  /** The ids of the results that its arguments use. */
  readonly references: readonly string[];
  /** Why it cannot run. */
  readonly problem?: Failure;
}

/** A call with its result. */
export interface EndedCall extends CheckedCall, BatchResult {}

/** A batch that runs. */
interface Batch {
  readonly calls: readonly CheckedCall[];
  readonly options: BatchOptions;
  /** The results of calls that ended, by id. */
  readonly results: Map<string, BatchResult>;
  /** Ids whose results other calls use. */
  readonly referenced: ReadonlySet<string>;
  readonly used: { characters: number };
}

/** Runs calls in order or in parallel. Resolves to one result per call, in their order. */
export async function runBatch(calls: readonly CheckedCall[], options: BatchOptions): Promise<readonly EndedCall[]> {
  await refuseAll(calls, options);
  const runnable = calls.filter(({ problem }) => problem === undefined);
  const referenced = new Set(calls.flatMap(({ references }) => references));
  const results = new Map<string, BatchResult>();
  const batch = { calls, options, results, referenced, used: { characters: 0 } };
  const limit = pLimit(options.strategy === "parallel" ? (options.concurrency ?? 8) : 1);
  await limit.map(runnable, async (one) => {
    results.set(one.id, await run(one, batch));
    await options.progress(results.size, runnable.length, nameOf(one.call));
  });
  return calls.flatMap((one) => {
    const result = one.problem === undefined ? results.get(one.id) : failedResult("failed", one.problem);
    return result === undefined ? [] : [{ ...one, ...result }];
  });
}

/** The tool's name, or what the caller wrote if there is no such tool. */
export function nameOf({ target, name }: BatchCall): string {
  return "failure" in target ? name : target.tool.name;
}

/** Dispatches the calls with a problem, so that observers see them. Their tools do not run. */
async function refuseAll(calls: readonly CheckedCall[], { dispatcher, context }: BatchOptions): Promise<void> {
  for (const { call, problem } of calls) {
    if (problem === undefined) continue;
    await dispatcher.dispatch({ name: nameOf(call), args: call.args, context, refusal: problem });
  }
}

async function run(one: CheckedCall, batch: Batch): Promise<BatchResult> {
  if (batch.options.context.signal.aborted) return { status: "not_run", reason: "the batch was cancelled" };
  const reason = missingResult(one, batch) ?? earlierFailure(one, batch);
  if (reason !== undefined) return { status: "not_run", reason };
  let args: unknown;
  try {
    args = argumentsOf(one, batch);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return failedResult("not_run", error);
  }
  const outcome = await callTool(one, args, batch);
  if (!outcome.ok) return { outcome, ...failedResult("failed", outcome.failure) };
  if (!batch.referenced.has(one.id)) return { status: "succeeded", outcome };
  const result = outcomeValue(outcome);
  batch.used.characters += jsonSize(result, maxCharacters);
  if (batch.used.characters > maxCharacters) return { outcome, ...failedResult("failed", tooLarge) };
  return { status: "succeeded", outcome, referenced: result };
}

function callTool({ id, call }: CheckedCall, given: unknown, batch: Batch): Promise<Outcome> {
  const { more, fields, target } = call;
  const isUsed = batch.referenced.has(id);
  const args = isUsed && "tool" in target ? withoutCompaction(target.tool, given) : given;
  const { dispatcher, context, strategy, timeout: ms = 60_000 } = batch.options;
  const dispatch = (signal: AbortSignal) =>
    dispatcher.dispatch({
      name: nameOf(call),
      args: { ...more, ...(args as object) },
      context: {
        ...context,
        signal,
        // Only results that other calls use are needed as values.
        ...(isUsed && { resultMode: "both" as const }),
        ...(fields && { fields }),
      },
    });
  if (strategy === "serial") return dispatch(context.signal);
  const message = `it took longer than ${ms} ms and was stopped`;
  return withTimeout((late) => dispatch(AbortSignal.any([context.signal, late])), {
    ms,
    onTimeout: () => ({ ok: false, failure: { code: "unavailable", message } }),
  });
}

/** Maximum characters of JSON: of all results that calls use, and of the arguments of a call. */
const maxCharacters = 134_217_728;

const tooLarge = new ToolError(
  "too_large",
  `the results of the batch are larger than ${maxCharacters.toLocaleString("en")} bytes`,
  "Split the batch.",
);

/** @throws ToolError for a reference without a value, and beyond the limit above */
function argumentsOf({ references, call }: CheckedCall, { used, results }: Batch): unknown {
  if ("failure" in call.target) return call.args;
  const args = fillIn(call.args, Object.fromEntries([...results].map(([id, { referenced }]) => [id, referenced])));
  const left = maxCharacters - used.characters;
  if (references.length > 0 && jsonSize(args, left) > left) throw tooLarge;
  return withTexts(args, call.target.tool.input.json());
}

/** Why a call does not run: it needs the result of a call that has none. */
function missingResult({ references }: CheckedCall, { results }: Batch): string | undefined {
  const id = references.find((one) => results.get(one)?.status !== "succeeded");
  return id === undefined ? undefined : `it needs the result of ${id}, which has none`;
}

/** Why a call that may change something does not run: an earlier call has failed. The others only read, and run. */
function earlierFailure(one: CheckedCall, { calls, options, results }: Batch): string | undefined {
  const { target } = one.call;
  if (options.strategy === "parallel" || "failure" in target || !target.tool.mutates) return undefined;
  const failed = calls
    .slice(0, calls.indexOf(one))
    .find(({ id, call }) => results.get(id)?.code !== undefined && call.continueOnFailure !== true);
  return failed === undefined ? undefined : `${failed.id} failed`;
}

/** Maximum characters of a reason, and of a hint. */
const maxReason = 2_000;

function failedResult(status: "failed" | "not_run", { code, message, hint }: Failure): BatchResult {
  const reason = `${code}: ${message.slice(0, maxReason)}`;
  return { status, code, reason, hint: hint?.slice(0, maxReason) };
}
