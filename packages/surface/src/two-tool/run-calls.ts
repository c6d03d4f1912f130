import { withTimeout, type ContentBlock, type Failure, type ToolContext } from "@toolpacks/core";
import pLimit from "p-limit";
import type { CallResult } from "./call-result.ts";
import { fillAll } from "./earlier-results.ts";
import type { CheckedCall } from "./check-calls.ts";
import type { TwoTools } from "./two-tools.ts";

interface Run {
  /** The context of each call. */
  readonly caller: ToolContext;
  readonly strategy: "serial" | "parallel";
  /** Reports the progress of the batch. */
  readonly progress: ToolContext["progress"];
}

const cancelled = "the batch was cancelled";

/** Runs checked calls. Resolves to one result per call, in order, also when the batch is cancelled. */
export function runCalls(twoTools: TwoTools, calls: readonly CheckedCall[], run: Run): Promise<readonly CallResult[]> {
  return run.strategy === "serial" ? runSerially(twoTools, calls, run) : runInParallel(twoTools, calls, run);
}

async function runSerially(
  twoTools: TwoTools,
  calls: readonly CheckedCall[],
  run: Run,
): Promise<readonly CallResult[]> {
  const results: CallResult[] = [];
  const fullValues: unknown[] = [];
  const needed = new Set(calls.flatMap(({ from }) => from.map(({ call }) => call)));
  let stopped: string | undefined;
  for (const [at, call] of calls.entries()) {
    if (run.caller.signal.aborted) stopped = cancelled;
    const caller = needed.has(at) ? { ...run.caller, resultMode: "both" as const } : run.caller;
    const { result, fullValue } =
      stopped === undefined
        ? await runAfter(twoTools, { call, results, fullValues }, { ...run, caller })
        : { result: notRun(call, stopped) };
    results.push(result);
    fullValues.push(fullValue);
    await run.progress(at + 1, calls.length, call.entry.tool.name);
    if (result.status !== "succeeded" && !call.continueOnFailure)
      stopped ??= `call ${at} ${result.status === "failed" ? "failed" : "did not run"}`;
  }
  return results;
}

/** The shown result of a call, and its complete value. */
interface Answered {
  readonly result: CallResult;
  readonly fullValue?: unknown;
}

interface Earlier {
  readonly call: CheckedCall;
  readonly results: readonly CallResult[];
  readonly fullValues: readonly unknown[];
}

/** A call whose parameters may need results of earlier ones. */
async function runAfter(twoTools: TwoTools, { call, results, fullValues }: Earlier, run: Run): Promise<Answered> {
  const missing = call.from.find((one) => results[one.call]?.status !== "succeeded");
  if (missing !== undefined)
    return { result: notRun(call, `it needs the result of call ${missing.call}, which has none`) };
  const filled = fillAll(call.args, call.from, (earlier) => asFields(fullValues[earlier]));
  if ("problem" in filled) return { result: notRun(call, filled.problem) };
  return runOne(twoTools, { ...call, args: asFields(filled.args) }, run);
}

async function runInParallel(
  twoTools: TwoTools,
  calls: readonly CheckedCall[],
  run: Run,
): Promise<readonly CallResult[]> {
  const inTurn = pLimit(twoTools.parallel);
  let done = 0;
  return Promise.all(
    calls.map((call) =>
      inTurn(async () => {
        const result = run.caller.signal.aborted ? notRun(call, cancelled) : await runWithTimeout(twoTools, call, run);
        await run.progress((done += 1), calls.length, call.entry.tool.name);
        return result;
      }),
    ),
  );
}

/** Runs a call with a timeout. A call that goes on after it is cancelled is not awaited. */
async function runWithTimeout(twoTools: TwoTools, call: CheckedCall, run: Run): Promise<CallResult> {
  const ms = twoTools.callTimeout;
  const work = async (timeout: AbortSignal) => {
    const { result } = await runOne(twoTools, call, {
      ...run,
      caller: { ...run.caller, signal: AbortSignal.any([run.caller.signal, timeout]) },
    });
    return result;
  };
  const message = `it took longer than ${ms} ms and was cancelled`;
  return withTimeout(work, { ms, onTimeout: () => failed(call, { code: "unavailable", message }) });
}

async function runOne({ dispatcher, repetition }: TwoTools, call: CheckedCall, run: Run): Promise<Answered> {
  const { caller } = run;
  const { name } = call.entry.tool;
  // A result of an earlier call is not counted yet.
  const isCounted = call.from.length === 0;
  const outcome = await dispatcher.dispatch({ name, args: call.args, context: caller, isCounted });
  if (outcome.ok) {
    const { value, text, notice, links, fullValue = value } = outcome;
    const result: CallResult = {
      tool: name,
      status: "succeeded",
      blocks: outcome.blocks ?? [{ type: "text" as const, text }],
      ...(links && { links }),
      ...(outcome.meta && { meta: outcome.meta }),
      ...(value && { value }),
      ...(notice !== undefined && { hint: notice }),
    };
    return { result, fullValue };
  }
  const result = failed(call, outcome.failure, outcome.blocks);
  const session = JSON.stringify([caller.principal ?? "", caller.intent?.sessionId ?? ""]);
  const isSecond = repetition.isSecond(session, ["failed", name, call.args]);
  if (!isSecond) return { result };
  const again = "It failed the same way before in this session: change its params, or ask getTools what they mean.";
  return { result: { ...result, hint: result.hint === undefined ? again : `${result.hint}\n${again}` } };
}

function failed(call: CheckedCall, failure: Failure, blocks?: readonly ContentBlock[]): CallResult {
  const { code, message, hint } = failure;
  const { name } = call.entry.tool;
  return {
    tool: name,
    status: "failed",
    code,
    reason: `${code}: ${message}`,
    ...(hint !== undefined && { hint }),
    ...(blocks && { blocks }),
  };
}

function notRun(call: CheckedCall, reason: string): CallResult {
  return { tool: call.entry.tool.name, status: "not_run", reason };
}

function asFields(value: unknown): Readonly<Record<string, unknown>> {
  return (value ?? {}) as Readonly<Record<string, unknown>>;
}
