import { errorText } from "@toolpacks/core";
import type { CaseFile } from "../case-file.ts";
import type { Profile } from "../model/profile.ts";
import type { OpenTools } from "../open-tools.ts";
import { runCase, type CaseResult, type RunCaseOptions } from "../run-case.ts";

/** The cases, models and examples to run in all combinations. */
export interface CasesPlan extends Pick<RunCaseOptions, "secrets" | "maxRetries" | "timeoutSeconds"> {
  readonly cases: readonly CaseFile[];
  readonly profiles: readonly Profile[];
  /** Texts of examples. Undefined: a run without examples. */
  readonly fewShots: readonly (string | undefined)[];
  /** Opens the tools for one case, without state of earlier cases. */
  readonly open: () => Promise<OpenTools>;
}

export interface CaseRun {
  readonly caseFile: CaseFile;
  readonly profile: Profile;
  readonly hasFewShot: boolean;
  readonly result: CaseResult;
}

export async function* runCases({ cases, profiles, fewShots, open, ...options }: CasesPlan): AsyncGenerator<CaseRun> {
  for (const profile of profiles) {
    for (const caseFile of cases) {
      for (const fewShot of fewShots) {
        const result = await open().then(
          (tools) => runCase(caseFile, { ...options, profile, tools, fewShot }),
          (error: unknown): CaseResult => ({
            status: "not_run",
            problem: `the server does not list its tools: ${errorText(error)}`,
          }),
        );
        yield { caseFile, profile, hasFewShot: fewShot !== undefined, result };
      }
    }
  }
}
