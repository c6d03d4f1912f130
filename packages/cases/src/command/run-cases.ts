import type { CaseFile } from "../case-file.ts";
import type { Profile } from "../model/profile.ts";
import type { OpenTools } from "../open-tools.ts";
import { runCase, type CaseResult } from "../run-case.ts";

/** What is run: every case for every model, with and without examples as asked for. */
export interface CasesPlan {
  readonly cases: readonly CaseFile[];
  readonly profiles: readonly Profile[];
  /** Text of the examples, or undefined for a run without. */
  readonly fewShots: readonly (string | undefined)[];
  /** Keys of every profile: a tool may come by one that is another's. */
  readonly secrets: readonly string[];
  /** Opens the tools anew, so that nothing of one case is known in the next. */
  readonly open: () => Promise<OpenTools>;
  readonly maxRetries?: number;
  /** Seconds that one conversation may take. */
  readonly timeout?: number;
}

/** One line of the table. */
export interface CaseRun {
  readonly caseFile: CaseFile;
  readonly profile: Profile;
  readonly hasFewShot: boolean;
  readonly result: CaseResult;
}

/** Runs one after another; each is handed over as it ends. */
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

interface Single {
  readonly caseFile: CaseFile;
  readonly profile: Profile;
  readonly fewShot: string | undefined;
}

async function runOne(plan: CasesPlan, { caseFile, profile, fewShot }: Single): Promise<CaseResult> {
  const { open, secrets, maxRetries, timeout } = plan;
  let tools: OpenTools;
  try {
    tools = await open();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return { status: "not_run", trouble: `the server does not list its tools: ${cause}` };
  }
  return runCase(caseFile, {
    profile,
    tools,
    secrets,
    ...(fewShot !== undefined && { fewShot }),
    ...(maxRetries !== undefined && { maxRetries }),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
  });
}
