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
  /** What must be struck out of whatever comes back, beside the profile's own key. */
  readonly secrets?: readonly string[];
  /** How often an endpoint that fails is asked again. Default 2. */
  readonly maxRetries?: number;
  /** Seconds that the whole conversation may take. Default 600. */
  readonly timeoutSeconds?: number;
}

/**
 * What came of a case. `passed` and `failed` are about what it expects; `ran` is a prompt that expects nothing; `not_run` says why the
 * model could not be asked.
 */
export type CaseResult =
  | {
      readonly status: "passed" | "failed" | "ran";
      readonly conversation: Conversation;
      readonly breaches: readonly Breach[];
    }
  | { readonly status: "not_run"; readonly trouble: string };

const defaultSeconds = 600;
const nothing = expectationSchema.parse({});

/** Puts a case to a model and judges what it called. */
export async function runCase({ prompt, expectation }: CaseFile, options: RunCaseOptions): Promise<CaseResult> {
  const { profile, tools, fewShot, secrets = [], maxRetries, timeoutSeconds = defaultSeconds } = options;
  const system = [tools.instructions, fewShot].filter((part) => part !== undefined).join("\n\n");
  try {
    const said = await converse({
      profile,
      tools,
      prompt,
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      ...(system !== "" && { system }),
      ...(maxRetries !== undefined && { maxRetries }),
    });
    // Before anything is cut to be shown: half a key would not be found.
    const conversation = redactIn(said, createRedactor([profile.apiKey, ...secrets]));
    const hasAnswer = conversation.answer !== undefined;
    if (expectation === undefined && hasAnswer) return { status: "ran", conversation, breaches: [] };
    const breaches = judge(expectation ?? nothing, conversation, tools);
    return { status: breaches.length === 0 ? "passed" : "failed", conversation, breaches };
  } catch (error) {
    if (error instanceof ModelError) return { status: "not_run", trouble: error.message };
    throw error;
  }
}
