import { isObject } from "@toolpacks/core";
import type { BatchPrompt } from "./check-batch.ts";
import { whoAnswers } from "./question.ts";
import { writingStep, type Literal } from "./target.ts";

/** Prompts of a group that are asked at once. */
const concurrency = 8;

/** Endpoints limit the rate of questions for seconds. */
const retry = { attempts: 3, backoff: 2_000 };

/**
 * The workflow of a batch: for each group a parallel step that asks its prompts, then a step for each answer that is kept, in the
 * order of the prompts.
 *
 * @param prompts in the order of their groups
 */
export function batchSteps(prompts: readonly BatchPrompt[]) {
  // A step refers to each value, so that no text is read as an expression.
  const literals: unknown[] = [];
  const literal: Literal = (value) => `\${input.literals[${literals.push(value) - 1}]}`;
  const groups = Map.groupBy(prompts, ({ group }) => group);
  const steps = [...groups].flatMap(([group, members]) => [
    { id: `${groupStart}${group}`, parallel: members.map((prompt) => askingStep(prompt, literal)), concurrency },
    ...members.flatMap(({ id, to }) =>
      to === undefined ? [] : [{ id: keepingId(id), ...writingStep(to, answerOf(id), literal) }],
    ),
  ]);
  return { steps, input: { literals } };
}

/** A stored prompt is asked as it was when the batch began, also if the batch is resumed. */
function askingStep(prompt: BatchPrompt, literal: Literal): object {
  const { id, stored, answers = {}, values = {}, files, results, system } = prompt;
  const fields = { text: stored?.text ?? prompt.text, files, results, ...whoAnswers(prompt, stored), system };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const filled = [
    ...Object.entries(values).map(([name, value]) => [name, literal(value)] as const),
    ...Object.entries(answers).map(([name, other]) => [name, answerOf(other)] as const),
  ];
  const params = {
    ...Object.fromEntries(given.map(([field, value]) => [field, literal(value)])),
    ...(filled.length > 0 && { values: Object.fromEntries(filled) }),
  };
  return { id, step: "prompt", params, retry };
}

function answerOf(id: string): string {
  return `\${steps.${id}.text}`;
}

const groupStart = "group__";
const keepingEnd = "__kept";

export function isBatch(steps: unknown): boolean {
  const first: unknown = Array.isArray(steps) ? steps[0] : undefined;
  return isObject(first) && String(first["id"]).startsWith(groupStart);
}

/** The id of the step that keeps a prompt's answer. Ids of prompts have no `__`. */
export function keepingId(id: string): string {
  return `${id}${keepingEnd}`;
}
