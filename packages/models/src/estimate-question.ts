import { estimateTokens } from "@toolpacks/core";
import type { ModelPlanQuestion, Tokens } from "./models.ts";

/** Tokens of an image, at the usual largest size. */
const imageTokens = 1_600;
/** Tokens around the messages of a question. */
const frameTokens = 16;

/** The estimated tokens of what is sent for a question. */
export function questionTokens({ prompt, system = "", images = [], schema }: ModelPlanQuestion): number {
  const json = schema === undefined ? 0 : estimateTokens(JSON.stringify(schema.full()));
  return estimateTokens(prompt) + estimateTokens(system) + json + images.length * imageTokens;
}

/** The most tokens that are expected of what is sent: the estimate can be 20 % too low. */
export function maxQuestionTokens(question: ModelPlanQuestion): number {
  return Math.ceil(questionTokens(question) * 1.25) + frameTokens;
}

interface Received {
  /** Tokens that the endpoint claims. */
  readonly usage?: { readonly input: unknown; readonly output: unknown } | undefined;
  readonly text?: string | undefined;
}

/**
 * The tokens that count of an answered question: what the endpoint claims, and at least what was estimated of what was sent and received. A claim that
 * is no count is ignored.
 */
export function countedTokens(question: ModelPlanQuestion, { usage, text = "" }: Received): Tokens {
  return {
    input: Math.max(claimed(usage?.input), questionTokens(question)),
    output: Math.max(claimed(usage?.output), estimateTokens(text)),
  };
}

/** A larger claim is no number of tokens of one question. */
const maxClaim = 1_000_000_000;

function claimed(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Math.min(Number(value), maxClaim) : 0;
}
