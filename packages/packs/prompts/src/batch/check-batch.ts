import { ToolError, type ToolContext } from "@toolpacks/core";
import type { PromptRecord } from "../prompt-kind.ts";
import type { BatchItem } from "./batch-input.ts";
import { checkItem } from "./check-item.ts";
import type { PromptServices } from "./prompt-step.ts";

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
  services: PromptServices,
  context: ToolContext,
): Promise<readonly BatchPrompt[]> {
  const ids = idsOf(items);
  const groups = new Map(items.map(({ group = 1 }, at) => [ids[at] ?? "", group]));
  const mistakes: string[] = [];
  const prompts: BatchPrompt[] = [];
  for (const [at, item] of items.entries()) {
    const id = ids[at] ?? "";
    const { group = 1 } = item;
    const { stored, problems } = await checkItem(item, { services, written: writtenBefore(group, items), context });
    const repeated = ids.indexOf(id) < at ? [`id: another prompt is named ${id}`] : [];
    const all = [...repeated, ...problems, ...answerProblems(item, groups), ...targetProblems(items, at)];
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

function answerProblems({ answers = {}, group = 1 }: BatchItem, groups: ReadonlyMap<string, number>) {
  return Object.entries(answers).flatMap(([argument, id]) => {
    const other = groups.get(id);
    if (other === undefined) return [`answers.${argument}: no prompt has the id ${id}`];
    if (other < group) return [];
    return [`answers.${argument}: ${id} is of group ${other}, so this prompt needs a later one than ${group}`];
  });
}

/** Two prompts cannot create the same file. */
function targetProblems(items: readonly BatchItem[], at: number): readonly string[] {
  const isCreated = ({ to }: BatchItem) =>
    to?.mode === "create" || (to?.mode === undefined && to?.passage === undefined);
  const item = items[at];
  const file = item?.to?.file;
  if (item === undefined || file === undefined || !isCreated(item)) return [];
  const other = items.slice(0, at).findIndex((one) => one.to?.file === file && isCreated(one));
  return other < 0 ? [] : [`to.file: prompts.${other} creates ${file} already; give it another mode`];
}

function writtenBefore(group: number, items: readonly BatchItem[]): ReadonlySet<string> {
  const earlier = items.filter((one) => (one.group ?? 1) < group);
  return new Set(earlier.flatMap(({ to }) => to?.file ?? []));
}
