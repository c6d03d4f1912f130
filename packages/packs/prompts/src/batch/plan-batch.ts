import { ToolError, type ToolContext } from "@toolpacks/core";
import type { Models, Tokens } from "@toolpacks/models";
import { costOf, type Answered, type BatchAnswer } from "./batch-answer.ts";
import type { BatchPrompt } from "./check-batch.ts";
import { fillQuestion } from "./question.ts";

/**
 * What a batch would take: reads the files and results of each prompt, and asks no model. An earlier answer counts as long as its
 * model may make it.
 *
 * @param prompts in the order of their groups
 */
export async function planBatch(
  prompts: readonly BatchPrompt[],
  models: Pick<Models, "plan">,
  context: ToolContext,
): Promise<BatchAnswer> {
  /** The most tokens of earlier answers, by id. */
  const lengths = new Map<string, number>();
  const planned: Answered[] = [];
  for (const [at, prompt] of prompts.entries()) {
    context.signal.throwIfAborted();
    const { answers = {}, values } = prompt;
    const expected = Object.entries(answers).map(([name, id]) => [name, expectedAnswer(lengths.get(id))] as const);
    const filled = { ...prompt, values: { ...values, ...Object.fromEntries(expected) } };
    const plan = await planPrompt(filled, models, context);
    lengths.set(prompt.id, plan.tokens?.output ?? 0);
    planned.push(plan);
    await context.progress(at + 1, prompts.length, `${prompt.id}: ${plan.status}`);
  }
  const sum = (of: keyof Tokens) => planned.reduce((all, { tokens }) => all + (tokens?.[of] ?? 0), 0);
  return { prompts: planned, tokens: { input: sum("input"), output: sum("output") }, cost: costOf(planned) };
}

async function planPrompt(
  { id, stored, ...question }: BatchPrompt,
  models: Pick<Models, "plan">,
  context: ToolContext,
): Promise<Answered> {
  try {
    const filled = await fillQuestion(question, stored, context);
    const { model, tokens, maxCost, passedOver } = await models.plan(filled, context);
    return {
      id,
      status: model === undefined ? "failed" : "planned",
      tokens: { ...tokens },
      model,
      error: model === undefined ? "no model can be asked" : undefined,
      cost: maxCost,
      ...(passedOver.length > 0 && { passedOver: [...passedOver] }),
    };
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    return { id, status: "failed", error: `${error.code}: ${error.message}` };
  }
}

/** A text of about this number of tokens, in place of an answer that is not known yet. */
function expectedAnswer(tokens = 0): string {
  return " answer".repeat(Math.min(tokens, 100_000));
}
