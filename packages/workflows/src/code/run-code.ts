import { createHash } from "node:crypto";
import { errorCodes, type ErrorCode, type Failure } from "@toolpacks/core";
import type { StepOf } from "../definition/workflow.ts";
import type { ActionResult } from "../engine/action-result.ts";
import type { Counts, Run, Scope } from "../engine/run.ts";
import { abortError } from "../engine/with-timeout.ts";
import { Calls } from "./calls.ts";
import {
  machineLimits,
  type CodeEnd,
  type Limit,
  type ScriptLimits,
  type Slice,
  type Task,
  type ThrownError,
} from "./protocol.ts";
import { scriptLimits, withSandbox } from "./sandbox.ts";

/** Runs a script. Its calls are steps inside it: `code/1`, `code/2`, … */
export async function runCode(run: Run, step: StepOf<"code">, scope: Scope): Promise<ActionResult> {
  const prefix = `${scope.path}${step.id}/`;
  const within: Scope = { ...scope, path: prefix, dry: new Set() };
  const calls = new Calls(run, within, await run.earlierCalls(prefix));
  const { maxSteps, maxExpressionSeconds } = run.engine.limits;
  const limits: ScriptLimits = { ...scriptLimits, calls: maxSteps, time: maxExpressionSeconds * 1_000 };
  const variables = JSON.stringify({ input: scope.input ?? {}, steps: scope.steps, ...scope.variables });
  const seed = createHash("sha256").update(`${run.first} ${prefix}`).digest().readUInt32BE();
  let printed = "";
  try {
    const end = await withSandbox(async ({ ask }) => {
      const go = async (task: Task) => {
        const slice = (await ask(task, limits.time, run.signal)) as Slice;
        printed += slice.printed;
        await calls.start(slice.end === undefined || isOver(slice.end) ? slice.requests : []);
        return slice.end;
      };
      let ended = await go({ kind: "begin", code: step.code, variables, seed, now: calls.now(), limits });
      while (ended === undefined) {
        const deliveries = await calls.next();
        if (deliveries === undefined) break;
        ended = await go({ kind: "go", deliveries, now: calls.now() });
      }
      return ended;
    });
    await calls.settled();
    const counts = calls.counts;
    if (run.signal.aborted) return { status: "failed", failure: abortError(run.signal), counts, printed };
    if (calls.waiting > 0 && (end === undefined || end.kind === "result"))
      return { status: "waiting", reason: "a call inside it waits", counts, printed };
    return { ...resultOf(end, limits, counts), printed };
  } catch (error) {
    await calls.settled();
    if (!run.signal.aborted) throw error;
    return { status: "failed", failure: abortError(run.signal), counts: calls.counts, printed };
  }
}

/** Whether the script came to its end by itself, so that its last calls count. */
function isOver({ kind }: CodeEnd): boolean {
  return kind === "result" || kind === "thrown";
}

function resultOf(end: CodeEnd | undefined, limits: ScriptLimits, counts: Counts): ActionResult {
  if (end === undefined) {
    const message = "the script waits for a promise that nothing settles";
    return {
      status: "failed",
      failure: { code: "invalid_input", message, hint: "Only calls and what depends on them can be awaited." },
      counts,
    };
  }
  if (end.kind === "thrown") return { status: "failed", failure: failureOf(end.error), counts };
  if (end.kind === "limit") return { status: "failed", failure: exceeded(end.limit, limits), counts };
  if (end.kind === "dry") {
    const reason = `ended where it reads the result of call ${end.id}, which a dry run does not have`;
    return { status: "dry", params: undefined, reason, counts };
  }
  // The script dealt with the failures of its calls.
  const { failed = 0, ...others } = counts;
  const made = Object.values(others).reduce((sum, count) => sum + count, failed);
  const summary = `${made} ${made === 1 ? "call" : "calls"}${failed === 0 ? "" : `, ${failed} failed (caught)`}`;
  return { status: "ok", value: JSON.parse(end.json) as unknown, summary, counts: others };
}

function failureOf({ name, message, code, hint, line }: ThrownError): Failure {
  const at = line === undefined ? "" : `line ${line}: `;
  const isCode = errorCodes.some((one) => one === code);
  if (isCode) return { code: code as ErrorCode, message: `${at}${message}`, ...(typeof hint === "string" && { hint }) };
  return { code: "invalid_input", message: `${at}${name === "Error" ? "" : `${name}: `}${message}` };
}

const units = { memory: "bytes", stack: "bytes", time: "ms", output: "characters", calls: "calls", size: "characters" };

function exceeded(limit: Limit, limits: ScriptLimits): Failure {
  const max = { ...machineLimits, ...limits }[limit].toLocaleString("en");
  const message = `the script needs more than ${max} ${units[limit]} (limit: ${limit})`;
  return { code: "too_large", message, hint: "Do less in one script." };
}
