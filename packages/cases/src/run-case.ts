import type { CaseFile } from "./case-file.ts";
import type { Conversation } from "./conversation.ts";
import type { Breach } from "./judge/breach.ts";
import { judge } from "./judge/judge.ts";
import { converse } from "./model/converse.ts";
import { ModelError } from "./model/model-error.ts";
import type { Profile } from "./model/profile.ts";
import type { OpenTools } from "./open-tools.ts";

export interface RunCaseOptions {
  readonly profile: Profile;
  readonly tools: OpenTools;
  /** Examples that the model is shown before the prompt. */
  readonly fewShot?: string;
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

/** Puts a case to a model and judges what it called. */
export async function runCase({ prompt, expectation }: CaseFile, options: RunCaseOptions): Promise<CaseResult> {
  const { profile, tools, fewShot, maxRetries, timeoutSeconds = defaultSeconds } = options;
  const system = [tools.instructions, fewShot].filter((part) => part !== undefined).join("\n\n");
  try {
    const conversation = await converse({
      profile,
      tools,
      prompt,
      signal: AbortSignal.timeout(timeoutSeconds * 1_000),
      ...(system !== "" && { system }),
      ...(maxRetries !== undefined && { maxRetries }),
    });
    if (expectation === undefined) return { status: "ran", conversation, breaches: [] };
    const breaches = judge(expectation, conversation, tools);
    return { status: breaches.length === 0 ? "passed" : "failed", conversation, breaches };
  } catch (error) {
    if (error instanceof ModelError) return { status: "not_run", trouble: error.message };
    throw error;
  }
}
