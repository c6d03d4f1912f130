import type { CaseFile } from "./case-file.ts";
import type { Conversation } from "./conversation.ts";
import { expectationSchema } from "./expectation.ts";
import type { Breach } from "./judge/breach.ts";
import { judge } from "./judge/judge.ts";
import { converse } from "./model/converse.ts";
import { ModelError } from "./model/model-error.ts";
import type { Profile } from "./model/profile.ts";
import type { OpenTools } from "./open-tools.ts";
import { createRedactor, redactIn } from "./redact.ts";

export interface RunCaseOptions {
  readonly profile: Profile;
  readonly tools: OpenTools;
  /** Examples that the model is shown before the prompt. */
  readonly fewShot?: string;
  /** Keys to redact in the result, in addition to the profile's key. */
  readonly secrets?: readonly string[];
  /** Number of retries of a failed request. Default 2. */
  readonly maxRetries?: number;
  /** Timeout of the conversation, in seconds. Default 600. */
  readonly timeoutSeconds?: number;
}

/**
 * The result of a case. `passed` and `failed`: the expectations were checked. `ran`: the prompt has no expectations. `not_run`: the model could
 * not be reached, and `problem` is the reason.
 */
export type CaseResult =
  | {
      readonly status: "passed" | "failed" | "ran";
      readonly conversation: Conversation;
      readonly breaches: readonly Breach[];
    }
  | { readonly status: "not_run"; readonly problem: string };

const defaultSeconds = 600;
const nothing = expectationSchema.parse({});

/** Sends a case to a model and checks its calls and answer. */
export async function runCase({ prompt, expectation }: CaseFile, options: RunCaseOptions): Promise<CaseResult> {
  const { profile, tools, fewShot, secrets = [], maxRetries, timeoutSeconds = defaultSeconds } = options;
  const system = [tools.instructions, fewShot].filter((part) => part !== undefined).join("\n\n");
  try {
    const result = await converse({
      profile,
      tools,
      prompt,
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      ...(system !== "" && { system }),
      maxRetries,
    });
    // Redact before texts are shortened: a part of a key would not be found.
    const conversation = redactIn(result, createRedactor([profile.apiKey, ...secrets]));
    const hasAnswer = conversation.answer !== undefined;
    if (expectation === undefined && hasAnswer) return { status: "ran", conversation, breaches: [] };
    const breaches = judge(expectation ?? nothing, conversation, tools);
    return { status: breaches.length === 0 ? "passed" : "failed", conversation, breaches };
  } catch (error) {
    if (error instanceof ModelError) return { status: "not_run", problem: error.message };
    throw error;
  }
}
