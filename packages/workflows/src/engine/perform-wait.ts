import { isObject, ToolError } from "@toolpacks/core";
import { deadlineOf, durationMs, timeOf } from "../definition/duration.ts";
import type { StepOf } from "../definition/workflow.ts";
import { resultText } from "../report/result-text.ts";
import { describeWait, type Wait } from "../report/wait.ts";
import { summarize, type ActionResult } from "./action-result.ts";
import { checkAnswer } from "./check-answer.ts";
import { resolve } from "./evaluate.ts";
import { closeGate, gateAnswer, openGate } from "./question-gate.ts";
import type { Run, Scope } from "./run.ts";

/** Time for which a question is open at the client, in ms. Then the run waits. */
const defaultOpenMs = 300_000;

/** Asks a person: at once if the client can be asked, otherwise the run waits for the answer, or until the question's gate is closed with it. */
export async function askPerson(run: Run, step: StepOf<"ask">, scope: Scope): Promise<ActionResult> {
  const path = `${scope.path}${step.id}`;
  const before = run.waits.before(path);
  const given = run.waits.answer(path);
  if (given !== undefined) return answer(run, before, given.value);
  const wait = await withoutWrongAnswer(run, before ?? (await newQuestion(run, step, scope)));
  if ("answer" in wait) return answered(run, wait.answer);
  if (run.dryRun) return { status: "dry", params: wait };
  if (isOver(wait)) {
    const message = `nobody answered until ${wait.until}`;
    await closeGate(run, wait, message);
    return { status: "failed", failure: { code: "unavailable", message } };
  }
  const value = await askClient(run, wait, step.timeout ?? defaultOpenMs);
  if (value !== undefined) return answer(run, wait, value);
  const issue = await openGate(run, wait);
  const open = issue === undefined ? wait : { ...wait, issue };
  run.waits.add(open);
  return { status: "waiting", reason: describeWait(open) };
}

/** The answer with which the gate of a question was closed, or the question, which is asked again after an answer that does not fit. */
async function withoutWrongAnswer(run: Run, wait: Wait): Promise<Wait | { readonly answer: unknown }> {
  const reason = await gateAnswer(run, wait);
  if (reason === undefined) return wait;
  try {
    return { answer: await checkAnswer(wait, reason) };
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return { ...wait, problem: error.message.slice(0, 2_000) };
  }
}

async function answer(run: Run, wait: Wait | undefined, value: unknown): Promise<ActionResult> {
  await closeGate(run, wait, textOfAnswer(value));
  return answered(run, value);
}

function textOfAnswer(value: unknown): string {
  return isObject(value) && typeof value["answer"] === "string" ? value["answer"] : JSON.stringify(value);
}

/** An answer counts as a change, so that the next step begins when it is on disk. */
async function answered(run: Run, value: unknown): Promise<ActionResult> {
  await run.beforeChange();
  return { status: "ok", value, summary: summarize(textOfAnswer(value)) };
}

async function newQuestion(run: Run, step: StepOf<"ask">, scope: Scope): Promise<Wait> {
  const question = resultText(await resolve(run, step.question, scope));
  const choices = step.choices && asChoices(await resolve(run, step.choices, scope));
  return {
    step: `${scope.path}${step.id}`,
    question: question.slice(0, 10_000),
    choices: choices && [...choices],
    schema: step.schema?.full(),
    since: new Date().toISOString(),
    until: step.deadline && deadlineOf(resultText(await resolve(run, step.deadline, scope))),
  };
}

/** @throws ToolError `invalid_input` */
function asChoices(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= 200)
    return value.map((one) => resultText(one).slice(0, 2_000));
  throw new ToolError("invalid_input", "choices: expected a list of 1 to 200 texts");
}

/** The answer of the client's user. Undefined if the client cannot be asked, or the user does not answer. */
async function askClient(run: Run, wait: Wait, openMs: number): Promise<unknown> {
  const { caller } = run;
  const form = formOf(wait);
  if (caller.elicit === undefined || form === undefined) return undefined;
  // A person takes time, in which this process may end.
  await run.beforeChange();
  const { signal } = caller;
  const open = AbortSignal.any([signal, AbortSignal.timeout(openMs)]);
  const asked = caller.elicit({ message: wait.question, requestedSchema: form }, open);
  const { promise: closed, resolve: close } = Promise.withResolvers<undefined>();
  const onAbort = () => close(undefined);
  open.addEventListener("abort", onAbort);
  try {
    const given = await Promise.race([asked, closed]);
    if (given?.action !== "accept") return undefined;
    return await checkAnswer(wait, wait.schema === undefined ? given.content?.["answer"] : given.content);
  } catch (error) {
    // The question stays, and can be answered later.
    if (ToolError.is(error)) return undefined;
    throw error;
  } finally {
    open.removeEventListener("abort", onAbort);
    asked.catch(() => {});
  }
}

const simpleTypes = new Set(["string", "number", "integer", "boolean"]);

/** The form of a question. A client shows only fields of simple types. */
function formOf({ choices, schema }: Wait): Readonly<Record<string, unknown>> | undefined {
  if (schema === undefined) {
    const answer = { type: "string", enum: choices };
    return { type: "object", properties: { answer }, required: ["answer"] };
  }
  const { properties, required } = schema;
  if (!isObject(properties)) return undefined;
  const isSimple = Object.values(properties).every(
    (field) => isObject(field) && simpleTypes.has(String(field["type"])),
  );
  return isSimple
    ? { type: "object", properties, required: Array.isArray(required) ? required : undefined }
    : undefined;
}

/** Waits for a time or an issue. */
export async function waitFor(run: Run, step: StepOf<"wait">, scope: Scope): Promise<ActionResult> {
  const wait = run.waits.before(`${scope.path}${step.id}`) ?? (await newWait(run, step, scope));
  if (run.dryRun) return { status: "dry", params: wait };
  const { issue, until = "" } = wait;
  if (issue === undefined) {
    if (isOver(wait)) return { status: "ok", value: { until }, summary: until };
  } else {
    const found = await run.waits.findIssue(issue);
    if (found?.closed === true) return { status: "ok", value: { issue }, summary: `${issue} is closed` };
    if (found === undefined) throw new ToolError("not_found", `wait: there is no issue ${issue}`);
  }
  run.waits.add(wait);
  return { status: "waiting", reason: describeWait(wait) };
}

async function newWait(run: Run, { id, waitsFor, value }: StepOf<"wait">, scope: Scope): Promise<Wait> {
  const text = resultText(await resolve(run, value, scope));
  const about = { step: `${scope.path}${id}`, since: new Date().toISOString() };
  if (waitsFor === "issue") return { ...about, issue: text.slice(0, 200) };
  const until = waitsFor === "until" ? timeOf(text) : new Date(Date.now() + durationMs(text)).toISOString();
  return { ...about, until };
}

/** Whether the time of a wait has come. */
export function isOver({ until }: Wait): boolean {
  return until !== undefined && Date.parse(until) <= Date.now();
}
