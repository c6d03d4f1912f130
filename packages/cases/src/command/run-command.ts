import { CaseError } from "../case-error.ts";
import { fewShotExamples } from "../few-shot.ts";
import { readProfile, type Profile } from "../model/profile.ts";
import type { Boxing } from "../open-boxed.ts";
import { createRedactor, redactIn, type Redact } from "../redact.ts";
import { findCaseFiles } from "./find-case-files.ts";
import { openSource } from "./open-source.ts";
import { print, printError, printJson, printStyled, type StyledLine } from "./print.ts";
import { envFilePath, readEnvFile } from "./read-env-file.ts";
import { createPaint, describeRun, renderContext, renderRun, renderTable } from "./render-runs.ts";
import { renderTools } from "./render-tools.ts";
import { runCases, type CaseRun } from "./run-cases.ts";
import type { ServerFlags } from "./server-under-test.ts";

export interface CommandFlags extends ServerFlags {
  readonly profile?: readonly string[];
  readonly model?: readonly string[];
  readonly temperature?: number;
  readonly maxRetries?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly boxing?: Boxing;
  readonly fewShot?: boolean;
  readonly zeroShot?: boolean;
  readonly printTools?: boolean;
  readonly dumpContext?: boolean;
  readonly color?: boolean;
  readonly json?: boolean;
}

/** The profile of the model that workflows use: `$TOOLPACKS_MODEL_URL`, `$TOOLPACKS_MODEL`, `$TOOLPACKS_MODEL_KEY`. */
const defaultProfile = "toolpacks";

const exitCodes = { failed: 1, notRun: 2 };

/** Sends prompt files to models, and checks which tools they call. Resolves to the exit code. */
export async function runCommand(patterns: readonly string[], flags: CommandFlags): Promise<number> {
  const { boxing = "opaque", json = false, dumpContext = false, maxRetries, timeout } = flags;
  const profiles = readProfiles(flags);
  const found = await findCaseFiles(patterns);
  const fewShots = fewShotsOf(flags, boxing);
  const secrets = profiles.flatMap(({ apiKey }) => apiKey ?? []);
  const redact = createRedactor(secrets);
  const report = (lines: readonly string[]) => printError(...lines.map(redact));
  const source = await openSource(flags, boxing);
  try {
    report(describeEndpoints(profiles));
    if (flags.printTools === true) report(await renderTools(await source.open()));
    const paint = createPaint(flags.color);
    const runs: CaseRun[] = [];
    const limits = { maxRetries, timeout };
    for await (const run of runCases({ cases: found, profiles, fewShots, secrets, open: source.open, ...limits })) {
      runs.push(run);
      if (json) continue;
      printStyled(
        renderRun(run).map((line) => redactLine(line, redact)),
        paint,
      );
      if (dumpContext) report(renderContext(run));
    }
    if (json) {
      const described = runs.map((run) => describeRun(run, dumpContext));
      printJson(redactIn({ boxing, runs: described }, redact));
    } else print("", ...renderTable(runs).map(redact));
    return exitCode(runs);
  } catch (error) {
    throw redactError(error, redact);
  } finally {
    await source.close();
  }
}

/** A profile for each model of each named profile. */
function readProfiles({ profile: names = [defaultProfile], model, temperature }: CommandFlags): Profile[] {
  const envFile = readEnvFile(process.cwd());
  return names.flatMap((name) =>
    (model ?? [undefined]).map((one) => readProfile(name, process.env, { envFile, temperature, model: one })),
  );
}

/** Describes which hosts get the prompts, and who set their addresses: another person may have written `.env`. */
function describeEndpoints(profiles: readonly Profile[]): readonly string[] {
  const lines = profiles.map(({ url, urlFrom }) => {
    const place = urlFrom === "envFile" ? envFilePath(process.cwd()) : "the environment";
    return `prompts go to ${new URL(url).host}, an address that ${place} sets`;
  });
  return [...new Set(lines)];
}

/** The examples of each run: none, the examples, or both. */
function fewShotsOf({ fewShot = false, zeroShot = false }: CommandFlags, boxing: Boxing): (string | undefined)[] {
  if (!fewShot) return [undefined];
  if (boxing === "off") throw new CaseError("--few-shot: shows how handles are used; expected no --boxing off");
  const examples = fewShotExamples(boxing);
  return zeroShot ? [undefined, examples] : [examples];
}

function exitCode(runs: readonly CaseRun[]): number {
  const statuses = new Set(runs.map(({ result }) => result.status));
  if (statuses.has("not_run")) return exitCodes.notRun;
  return statuses.has("failed") ? exitCodes.failed : 0;
}

function redactLine(line: StyledLine, redact: Redact): StyledLine {
  return line.map((part) => (typeof part === "string" ? redact(part) : { ...part, text: redact(part.text) }));
}

/** The message and the stack of an unexpected error may hold a key. */
function redactError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = redact(error.stack);
  return error;
}
