import { isObject, ToolError } from "@toolpacks/core";
import type { StepOf } from "../definition/workflow.ts";
import { describeWait, type Wait } from "../report/wait.ts";
import { summarize, type ActionResult } from "./action-result.ts";
import { resolve } from "./evaluate.ts";
import { dispatch, readOnlyRun } from "./perform-call.ts";
import type { FoundIssue } from "./run-waits.ts";
import type { Run, Scope } from "./run.ts";

/** Makes issues, and waits until all of them are closed. A repetition makes none again. */
export async function makeIssues(run: Run, step: StepOf<"issue">, scope: Scope): Promise<ActionResult> {
  const path = `${scope.path}${step.id}`;
  const before = run.waits.before(path);
  if (before?.made === undefined && run.dryRun)
    return { status: "dry", params: { issues: await templates(run, step, scope) } };
  const made = before?.made ?? (await create(run, path, await templates(run, step, scope)));
  const issues: FoundIssue[] = [];
  for (const id of made) {
    const found = await run.waits.findIssue(id);
    if (found === undefined) throw new ToolError("not_found", `issue: there is no issue ${id} any more`);
    issues.push(found);
  }
  const issue = made.find((_, at) => issues[at]?.closed === false);
  if (issue === undefined) {
    const closed = issues.map(({ data }, at) => ({ id: made[at], title: data["title"], reason: data["close_reason"] }));
    return { status: "ok", value: { issues: closed }, summary: summarize(`${made.join(", ")} closed`) };
  }
  const wait: Wait = { step: path, since: before?.since ?? new Date().toISOString(), issue, made: [...made] };
  run.waits.add(wait);
  return { status: "waiting", reason: describeWait(wait) };
}

async function templates(run: Run, { issues }: StepOf<"issue">, scope: Scope): Promise<readonly unknown[]> {
  return [await resolve(run, issues, scope)].flat();
}

/** @throws ToolError with the failure of `issue_create` */
async function create(run: Run, path: string, issues: readonly unknown[]): Promise<readonly string[]> {
  if (run.readOnly) throw readOnlyRun("issue");
  await run.beforeChange();
  const outcome = await dispatch(run, { name: "issue_create", args: { issues } }, path);
  if (!outcome.ok) {
    const { code, message, hint } = outcome.failure;
    throw new ToolError(code, message.replace(/^issues/, "issue"), hint);
  }
  const items = isObject(outcome.value) && Array.isArray(outcome.value["items"]) ? outcome.value["items"] : [];
  return (items as readonly unknown[]).flatMap((item) => (isObject(item) ? [String(item["id"])] : []));
}
