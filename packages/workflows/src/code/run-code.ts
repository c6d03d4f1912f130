import { hash } from "node:crypto";
import { errorCodes, ToolError, type Failure } from "@toolpacks/core";
import type { StepOf } from "../definition/workflow.ts";
import type { ActionResult } from "../engine/action-result.ts";
import type { Counts, Run, Scope } from "../engine/run.ts";
import { abortError } from "../engine/with-timeout.ts";
import { Calls } from "./calls.ts";
import { fixedLimits, type CodeEnd, type Limits, type Slice, type Task, type ThrownError } from "./protocol.ts";
import { exceeded, withSandbox } from "./sandbox.ts";

/** Runs a script. Its calls are steps inside it: `code/1`, `code/2`, … */
export async function runCode(run: Run, step: StepOf<"code">, scope: Scope): Promise<ActionResult> {
  const prefix = `${scope.path}${step.id}/`;
  const calls = new Calls(run, { ...scope, path: prefix, dry: new Set() });
  const { maxSteps, maxExpressionSeconds } = run.engine.limits;
  const limits: Limits = { ...fixedLimits, calls: maxSteps, time: maxExpressionSeconds * 1_000 };
  const variables = JSON.stringify({ input: scope.input ?? {}, steps: scope.steps, ...scope.variables });
  const seed = 1 + (hash("sha256", `${run.first} ${prefix}`, "buffer").readUInt32BE() % 2_147_483_646);
  let printed = "";
  const end = await withSandbox(async (thread): Promise<CodeEnd | undefined> => {
    const prepare = { id: seed, kind: "prepare", json: variables, at: run.began } as const;
    let task: Task = { kind: "begin", code: step.code, prepare, limits };
    for (;;) {
      const slice: Slice = await thread.ask(task, limits.time);
      printed += slice.printed;
      // The last calls of a script that came to its end count.
      if (slice.end === undefined || slice.end.kind === "result" || slice.end.kind === "thrown")
        await calls.start(slice.requests);
      if (slice.end !== undefined) return slice.end;
      const deliveries = await calls.next();
      if (deliveries === undefined) return undefined;
      task = { kind: "go", deliveries };
    }
  }, run.signal)
    .catch((error: unknown) => {
      if (ToolError.is(error) || run.signal.aborted) return error as ToolError;
      throw error;
    })
    .finally(() => calls.settled());
  const { counts } = calls;
  if (run.signal.aborted) return { status: "failed", failure: abortError(run.signal), counts, printed };
  if (counts.waiting !== undefined && (end === undefined || ("kind" in end && end.kind === "result")))
    return { status: "waiting", reason: "a call inside it waits", counts, printed };
  return { counts, ...resultOf(end, limits, counts), printed };
}

function resultOf(end: CodeEnd | ToolError | undefined, limits: Limits, counts: Counts): ActionResult {
  if (end === undefined) {
    const message = "the script waits for a promise that nothing settles";
    const hint = "Only calls and what depends on them can be awaited.";
    return { status: "failed", failure: { code: "invalid_input", message, hint } };
  }
  if (ToolError.is(end)) return { status: "failed", failure: end };
  if (end.kind === "thrown") return { status: "failed", failure: failureOf(end.error) };
  if (end.kind === "limit") return { status: "failed", failure: exceeded(end.limit, limits[end.limit]) };
  if (end.kind === "dry") {
    const reason = `ended where it reads the result of call ${end.id}, which a dry run does not have`;
    return { status: "dry", params: undefined, reason };
  }
  // The script dealt with the failures of its calls.
  const { failed = 0, ...others } = counts;
  const made = Object.values(others).reduce((sum, count) => sum + count, failed);
  const summary = `${made} ${made === 1 ? "call" : "calls"}${failed === 0 ? "" : `, ${failed} failed (caught)`}`;
  return { status: "ok", value: JSON.parse(end.json) as unknown, summary, counts: others };
}

function failureOf({ name, message, code, hint, line }: ThrownError): Failure {
  const at = line === undefined ? "" : `line ${line}: `;
  const known = errorCodes.find((one) => one === code);
  const kind = known !== undefined || name === "Error" ? "" : `${name}: `;
  const shown = `${at}${kind}${message}`;
  return { code: known ?? "invalid_input", message: shown, ...(typeof hint === "string" && { hint }) };
}
