import { closest, ToolError, type ToolContext } from "@toolpacks/core";
import type { PromptRecord } from "../prompt-kind.ts";
import { argumentNames } from "../template.ts";
import type { BatchItem, Target } from "./batch-input.ts";
import type { PromptServices } from "./prompt-step.ts";
import { findPrompt, whoAnswers } from "./question.ts";
import { findTool, requireReading } from "./read-value.ts";
import { targetProblem, toolsOf } from "./target.ts";

export interface Checking {
  readonly services: PromptServices;
  /** Files that prompts of earlier groups write. */
  readonly written: ReadonlySet<string>;
  readonly context: ToolContext;
}

/**
 * Finds what would make a prompt of a batch fail, as far as it is known before any model is asked.
 *
 * @returns the stored prompt that the item names, and what is wrong, each with its field
 */
export async function checkItem(item: BatchItem, checking: Checking) {
  const { services, context } = checking;
  const { name, text, files = {}, results = {}, to } = item;
  if ((name === undefined) === (text === undefined))
    return { stored: undefined, problems: ["name, text: expected one of them"] };
  const problems: string[] = [];
  const attempt = async <Value>(doing: () => Promise<Value>): Promise<Value | undefined> => {
    try {
      return await doing();
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const stored = name === undefined ? undefined : await attempt(() => findPrompt(services.store, name));
  await attempt(() => requireModel(item, stored, services.models));
  for (const [argument, path] of Object.entries(files))
    await attempt(() => requireFile(path, `files.${argument}`, checking));
  for (const [argument, call] of Object.entries(results))
    await attempt(() => requireReading(call, `results.${argument}`, context));
  if (to !== undefined) await attempt(() => requireTarget(to, checking));
  if (text !== undefined || stored !== undefined) problems.push(...argumentProblems(item, stored));
  return { problems, stored };
}

/** @throws ToolError for a model, or a task, that can never answer */
async function requireModel(
  item: BatchItem,
  stored: PromptRecord | undefined,
  models: PromptServices["models"],
): Promise<void> {
  if (item.task !== undefined && item.model !== undefined)
    throw new ToolError("invalid_input", "task, model: expected one of them, received both");
  const asked = whoAnswers(item, stored);
  const problem = await models.problem(asked);
  if (problem !== undefined)
    throw new ToolError("unavailable", `${asked.model === undefined ? "task" : "model"}: ${problem}`);
}

/** @throws ToolError that says why there is no such file to read */
async function requireFile(path: string, at: string, { written, context }: Checking): Promise<void> {
  await findTool("fs_read", at, context);
  const failure = await statFailure(path, context);
  if (failure !== undefined && !written.has(path)) throw new ToolError(failure.code, `${at}: ${failure.message}`);
}

/** @throws ToolError that says why the answer could not be kept */
async function requireTarget(to: Target, { written, context }: Checking): Promise<void> {
  const wrong = targetProblem(to);
  if (wrong !== undefined) throw new ToolError("invalid_input", wrong);
  for (const tool of toolsOf(to)) await findTool(tool, "to", context);
  const { file, kind, mode = "create", passage } = to;
  if (kind !== undefined && context.access?.kinds().every(({ name }) => name !== kind) === true)
    throw new ToolError("invalid_input", `to.kind: there is no kind ${JSON.stringify(kind)}`);
  if (file === undefined) return;
  const failure = await statFailure(file, context);
  const isMissing = failure?.code === "not_found";
  if (failure !== undefined && (!isMissing || (passage !== undefined && !written.has(file))))
    throw new ToolError(failure.code, `to.file: ${failure.message}`);
  if (!isMissing && passage === undefined && mode === "create")
    throw new ToolError("conflict", `to.file: ${file} exists already; give another mode`);
}

/** Why a path cannot be described. Undefined: it can, or files are described by no tool here. */
async function statFailure(path: string, context: ToolContext) {
  const found = await context.access?.resolve("fs_stat");
  if (found === undefined || "failure" in found) return undefined;
  const outcome = await context.access?.dispatch({ name: "fs_stat", args: { path }, context });
  return outcome?.ok === false ? outcome.failure : undefined;
}

/** Each argument of the text needs one value, and each value an argument. */
function argumentProblems(item: BatchItem, stored: PromptRecord | undefined): readonly string[] {
  const names = argumentNames(stored?.text ?? item.text ?? "");
  const sources = (["values", "answers", "files", "results"] as const).flatMap((source) =>
    Object.keys(item[source] ?? {}).map((name) => ({ source, name })),
  );
  const given = sources.map(({ name }) => name);
  const described = stored?.arguments ?? [];
  const isRequired = (name: string) => described.find((one) => one.name === name)?.required ?? true;
  const missing = names.filter((name) => isRequired(name) && !given.includes(name));
  const unknown = sources.flatMap(({ source, name }, at) => {
    if (given.indexOf(name) < at) return [`${source}.${name}: the argument has a value already`];
    if (names.includes(name)) return [];
    const near = closest(name, names);
    const known = names.length === 0 ? "it has no arguments" : `it has ${names.join(", ")}`;
    return [`${source}.${name}: the text has no {{${name}}}; ${near === undefined ? known : `did you mean ${near}?`}`];
  });
  return [...missing.map((name) => `values.${name}: expected a value of {{${name}}}`), ...unknown];
}
