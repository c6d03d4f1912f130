import { existsSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { ConfigurationError, errorText } from "@toolpacks/core";
import { readRegularFile } from "@toolpacks/files";
import { printError, printJson, printStyled, type Io } from "@toolpacks/terminal";
import { fewShotExamples } from "../few-shot.ts";
import { readProfile, type Profile } from "../model/profile.ts";
import type { Boxing } from "../open-boxed.ts";
import { createRedactor, redactIn, type Redact } from "../redact.ts";
import { findCaseFiles } from "./find-case-files.ts";
import { openSource, type ServerFlags } from "./open-source.ts";
import { describeRun, printRuns, renderContext, renderRun } from "./render-runs.ts";
import { renderTools } from "./render-tools.ts";
import { runCases, type CaseRun } from "./run-cases.ts";

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
  readonly json?: boolean;
}

/** The profile of the model that workflows use: `$TOOLPACKS_MODEL_URL`, `$TOOLPACKS_MODEL`, `$TOOLPACKS_MODEL_KEY`. */
const defaultProfile = "toolpacks";

const exitCodes = { failed: 1, notRun: 2 };

/** Sends prompt files to models, and checks which tools they call. Resolves to the exit code. */
export async function runCommand(io: Io, patterns: readonly string[], flags: CommandFlags): Promise<number> {
  const { boxing = "opaque", json = false, dumpContext = false, maxRetries, timeout: timeoutSeconds } = flags;
  const profiles = readProfiles(io, flags);
  const cases = await findCaseFiles(patterns);
  const fewShots = fewShotsOf(flags, boxing);
  const secrets = profiles.flatMap(({ apiKey }) => apiKey ?? []);
  const redact = createRedactor(secrets);
  const report = (lines: readonly string[]) => printError(io, ...lines.map(redact));
  const source = await openSource(flags, boxing);
  try {
    report(describeEndpoints(io, profiles));
    if (flags.printTools === true) report(await renderTools(await source.open()));
    const runs: CaseRun[] = [];
    const plan = { cases, profiles, fewShots, secrets, maxRetries, timeoutSeconds, open: source.open };
    for await (const found of runCases(plan)) {
      const run = redactIn(found, redact);
      runs.push(run);
      if (json) continue;
      printStyled(io, ...renderRun(run));
      if (dumpContext) report(renderContext(run));
    }
    if (json) printJson(io, { boxing, runs: runs.map((run) => describeRun(run, dumpContext)) }, 2);
    else printRuns(io, runs);
    return exitCode(runs);
  } catch (error) {
    throw redactError(error, redact);
  } finally {
    await source.close();
  }
}

function readProfiles(io: Io, { profile: names = [defaultProfile], model, temperature }: CommandFlags): Profile[] {
  const envFile = readEnvFile(envFilePath(io));
  return names.flatMap((name) =>
    (model ?? [undefined]).map((one) => readProfile(name, io.env, { envFile, temperature, model: one })),
  );
}

function envFilePath({ cwd }: Io): string {
  return path.join(cwd, ".env");
}

const maxEnvBytes = 1_048_576;

/** Reads the variables of a file; none when there is no file. @throws ConfigurationError when it cannot be read */
function readEnvFile(file: string): Readonly<Record<string, string | undefined>> {
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readRegularFile(file, maxEnvBytes).toString("utf8"));
  } catch (error) {
    throw new ConfigurationError(`${file}: cannot be read (${errorText(error)})`);
  }
}

/** Describes which hosts get the prompts, and who set their addresses: another person may have written `.env`. */
function describeEndpoints(io: Io, profiles: readonly Profile[]): readonly string[] {
  const lines = profiles.map(({ url, urlFrom }) => {
    const place = urlFrom === "envFile" ? envFilePath(io) : "the environment";
    return `prompts go to ${new URL(url).host}, an address that ${place} sets`;
  });
  return [...new Set(lines)];
}

/** The examples of each run: none, the examples, or both. */
function fewShotsOf({ fewShot = false, zeroShot = false }: CommandFlags, boxing: Boxing): (string | undefined)[] {
  if (!fewShot) return [undefined];
  if (boxing === "off")
    throw new ConfigurationError("--few-shot: shows how handles are used; expected no --boxing off");
  const examples = fewShotExamples(boxing);
  return zeroShot ? [undefined, examples] : [examples];
}

function exitCode(runs: readonly CaseRun[]): number {
  const statuses = new Set(runs.map(({ result }) => result.status));
  if (statuses.has("not_run")) return exitCodes.notRun;
  return statuses.has("failed") ? exitCodes.failed : 0;
}

/** The message and the stack of an unexpected error may hold a key. */
function redactError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = redact(error.stack);
  return error;
}
