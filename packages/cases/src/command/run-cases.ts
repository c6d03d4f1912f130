import { errorText } from "@toolpacks/core";
import type { CaseFile } from "../case-file.ts";
import type { Profile } from "../model/profile.ts";
import type { OpenTools } from "../open-tools.ts";
import { runCase, type CaseResult } from "../run-case.ts";

/** The cases, models and examples to run in all combinations. */
export interface CasesPlan {
  readonly cases: readonly CaseFile[];
  readonly profiles: readonly Profile[];
  /** Texts of examples. Undefined: a run without examples. */
  readonly fewShots: readonly (string | undefined)[];
  /** Keys of all profiles: a tool may return a key of another profile. */
  readonly secrets: readonly string[];
  /** Opens the tools for one case, without state of earlier cases. */
  readonly open: () => Promise<OpenTools>;
  readonly maxRetries?: number;
  /** Timeout of one conversation, in seconds. */
  readonly timeout?: number;
}

/** One line of the table. */
export interface CaseRun {
  readonly caseFile: CaseFile;
  readonly profile: Profile;
  readonly hasFewShot: boolean;
  readonly result: CaseResult;
}

/** Runs the cases one after another, and yields each result. */
export async function* runCases(plan: CasesPlan): AsyncGenerator<CaseRun> {
  const { cases, profiles, fewShots } = plan;
  for (const profile of profiles) {
    for (const caseFile of cases) {
      for (const fewShot of fewShots) {
        const result = await runOne(plan, { caseFile, profile, fewShot });
        yield { caseFile, profile, hasFewShot: fewShot !== undefined, result };
      }
    }
  }
}

interface SingleRun {
  readonly caseFile: CaseFile;
  readonly profile: Profile;
  readonly fewShot: string | undefined;
}

async function runOne(plan: CasesPlan, { caseFile, profile, fewShot }: SingleRun): Promise<CaseResult> {
  const { open, secrets, maxRetries, timeout } = plan;
  let tools: OpenTools;
  try {
    tools = await open();
  } catch (error) {
    const cause = errorText(error);
    return { status: "not_run", problem: `the server does not list its tools: ${cause}` };
  }
  return runCase(caseFile, {
    profile,
    tools,
    secrets,
    fewShot,
    ...(maxRetries !== undefined && { maxRetries }),
    timeoutSeconds: timeout,
  });
}
