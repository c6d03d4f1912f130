import { closest, ToolError, type Store, type ToolContext } from "@toolpacks/core";
import type { PromptRecord } from "../prompt-kind.ts";
import { argumentNames } from "../template.ts";
import type { BatchItem } from "./batch-input.ts";
import { findPrompt } from "./question.ts";
import { requireReading } from "./read-value.ts";
import { targetProblem, toolOf } from "./target.ts";

/** A prompt of a batch that can be asked. */
export interface BatchPrompt extends Omit<BatchItem, "id" | "group"> {
  readonly id: string;
  readonly group: number;
  /** The prompt that it names. */
  readonly stored: PromptRecord | undefined;
}

/** Maximum mistakes that one error names. */
const maxNamed = 10;

/**
 * Checks all prompts before any is asked.
 *
 * @returns them in the order of their groups
 * @throws ToolError `invalid_input` that names every mistake
 */
export async function checkBatch(
  items: readonly BatchItem[],
  store: Store,
  context: ToolContext,
): Promise<readonly BatchPrompt[]> {
  const ids = idsOf(items);
  const groups = new Map(items.map(({ group = 1 }, at) => [ids[at] ?? "", group]));
  const mistakes: string[] = [];
  const prompts: BatchPrompt[] = [];
  for (const [at, item] of items.entries()) {
    const id = ids[at] ?? "";
    const { group = 1 } = item;
    const { stored, problems } = await checkItem(item, { store, context });
    const repeated = ids.indexOf(id) < at ? [`id: another prompt is named ${id}`] : [];
    const all = [...repeated, ...problems, ...answerProblems(item, groups)];
    mistakes.push(...all.map((problem) => `prompts.${at}.${problem}`));
    prompts.push({ ...item, id, group, stored });
  }
  if (mistakes.length === 0) return prompts.toSorted((one, other) => one.group - other.group);
  const more = mistakes.length > maxNamed ? `; and ${mistakes.length - maxNamed} more` : "";
  const hint = "Nothing was asked.";
  throw new ToolError("invalid_input", `${mistakes.slice(0, maxNamed).join("; ")}${more}`, hint);
}

function idsOf(items: readonly BatchItem[]): readonly string[] {
  const given = new Set(items.map(({ id }) => id));
  return items.map(({ id }, at) => {
    if (id !== undefined) return id;
    let free = `p${at + 1}`;
    while (given.has(free)) free += "x";
    return free;
  });
}

interface Checking {
  readonly store: Store;
  readonly context: ToolContext;
}

interface Checked {
  readonly stored?: PromptRecord;
  readonly problems: readonly string[];
}

async function checkItem(item: BatchItem, { store, context }: Checking): Promise<Checked> {
  const { name, text, task, model, files = {}, results = {}, to } = item;
  if ((name === undefined) === (text === undefined)) return { problems: ["name, text: expected one of them"] };
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
  const stored = name === undefined ? undefined : await attempt(() => findPrompt(store, name));
  if (task !== undefined && model !== undefined) problems.push("task, model: expected one of them, received both");
  if (Object.keys(files).length > 0) await attempt(() => requireTool("fs_read", "files", context));
  for (const [argument, call] of Object.entries(results))
    await attempt(() => requireReading(call, `results.${argument}`, context));
  const wrongTarget = to && targetProblem(to);
  if (wrongTarget !== undefined) problems.push(wrongTarget);
  else if (to !== undefined) await attempt(() => requireTool(toolOf(to), "to", context));
  if (text !== undefined || stored !== undefined) problems.push(...argumentProblems(item, stored));
  return { problems, ...(stored !== undefined && { stored }) };
}

/** @throws ToolError that says why a tool cannot be called */
async function requireTool(tool: string, at: string, { access }: ToolContext): Promise<void> {
  const found = await access?.resolve(tool);
  if (found === undefined || !("failure" in found)) return;
  throw new ToolError(found.failure.code, `${at}: ${found.failure.message}`);
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

function answerProblems({ answers = {}, group = 1 }: BatchItem, groups: ReadonlyMap<string, number>) {
  return Object.entries(answers).flatMap(([argument, id]) => {
    const other = groups.get(id);
    if (other === undefined) return [`answers.${argument}: no prompt has the id ${id}`];
    if (other < group) return [];
    return [`answers.${argument}: ${id} is of group ${other}, so this prompt needs a later one than ${group}`];
  });
}
