import { isObject, maskText } from "@toolpacks/core";
import type { Wait } from "../report/wait.ts";
import { issueKind } from "./issue-waits.ts";
import { dispatch } from "./perform-call.ts";
import { accessOf, type Run } from "./run.ts";

/** Maximum length of a gate's title. */
const maxTitle = 200;

/**
 * Creates the gate of a question: an issue that waits for a person, so that `issue_ready` shows it. A repetition, and a question whose gate is open, have
 * the same gate.
 *
 * @returns its id. Undefined if no pack keeps issues, or the caller may not create one: then the question is only in the report.
 */
export async function openGate(run: Run, wait: Wait): Promise<string | undefined> {
  if (run.readOnly || issueKind(accessOf(run.caller)) === undefined) return undefined;
  if (wait.issue !== undefined && (await run.waits.findIssue(wait.issue))?.closed === false) return wait.issue;
  const question = maskText(wait.question ?? "");
  const { problem, until, choices } = wait;
  const description = [
    ...(question.length > maxTitle ? [question] : []),
    ...(problem === undefined ? [] : [`An answer did not fit: ${problem}`]),
    ...(choices === undefined ? [] : [`Answers: ${choices.join(", ")}`]),
    `Asked by a run that waits, at its step ${wait.step}. Close this gate with the answer as the reason.`,
  ].join("\n");
  const gate = {
    title: question.replaceAll(/\s+/g, " ").slice(0, maxTitle),
    issue_type: "gate",
    description,
    deadline: until,
  };
  const items = await change(run, wait, { tool: "issue_create", args: { issues: [gate] } });
  const [made] = Array.isArray(items) ? (items as readonly unknown[]) : [];
  return isObject(made) && typeof made["id"] === "string" ? made["id"] : undefined;
}

/** Closes the gate of a question, if it is open. */
export async function closeGate(run: Run, wait: Wait | undefined, reason: string): Promise<void> {
  if (wait?.issue === undefined || (await run.waits.findIssue(wait.issue))?.closed !== false) return;
  await change(run, wait, {
    tool: "issue_close",
    args: { ids: [wait.issue], reason: maskText(reason.slice(0, 10_000)) },
  });
}

/** The reason with which a gate was closed. Undefined while it is open, and if it was deleted. */
export async function gateAnswer(run: Run, { issue }: Wait): Promise<string | undefined> {
  const found = issue === undefined ? undefined : await run.waits.findIssue(issue);
  if (found?.closed !== true) return undefined;
  const { close_reason: reason } = found.data;
  return typeof reason === "string" ? reason : "";
}

/** Calls a tool of the issues pack as the run's caller. Resolves with undefined if the caller may not. */
async function change(
  run: Run,
  wait: Wait,
  { tool, args }: { readonly tool: string; readonly args: object },
): Promise<unknown> {
  await run.beforeChange();
  // A second gate for the same question has an operation of its own.
  const outcome = await dispatch(run, { name: tool, args }, `${wait.step}/${tool}/${wait.issue ?? ""}`);
  return outcome.ok && isObject(outcome.value) ? outcome.value["items"] : undefined;
}
