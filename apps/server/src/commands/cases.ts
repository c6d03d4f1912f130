import {
  CaseError,
  createRedactor,
  fewShotExamples,
  readProfile,
  redactIn,
  type Boxing,
  type Profile,
  type Redact,
} from "@toolpacks/cases";
import { findCaseFiles } from "../cases/find-case-files.ts";
import { openSource } from "../cases/open-source.ts";
import { envFilePath, readEnvFile } from "../cases/read-env-file.ts";
import { createPaint, describeRun, renderContext, renderRun, renderTable } from "../cases/render-runs.ts";
import { renderTools } from "../cases/render-tools.ts";
import { runCases, type CaseRun } from "../cases/run-cases.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { print, printError, printJson, printStyled, type StyledLine } from "../print.ts";

export interface CasesFlags {
  readonly profile?: readonly string[];
  readonly model?: readonly string[];
  readonly temperature?: number;
  readonly maxRetries?: number;
  /** Seconds. */
  readonly timeout?: number;
  readonly boxing?: Boxing;
  readonly fewShot?: boolean;
  readonly zeroShot?: boolean;
  readonly server?: string;
  readonly printTools?: boolean;
  readonly dumpContext?: boolean;
  readonly color?: boolean;
  readonly json?: boolean;
}

/** The endpoint that workflows ask too: `$TOOLPACKS_MODEL_URL`, `$TOOLPACKS_MODEL`, `$TOOLPACKS_MODEL_KEY`. */
const defaultProfile = "toolpacks";

const exitCodes = { failed: 1, notRun: 2 };

/** `toolpacks cases <globs>`: puts prompt files to models, and checks what they call. */
export async function cases(patterns: readonly string[], flags: CasesFlags): Promise<void> {
  const { boxing = "opaque", json = false, dumpContext = false, maxRetries, timeout } = flags;
  const profiles = await asConfigured(async () => readProfiles(flags));
  const found = await asConfigured(() => findCaseFiles(patterns));
  const fewShots = fewShotsOf(flags, boxing);
  const secrets = profiles.flatMap(({ apiKey }) => apiKey ?? []);
  const redact = createRedactor(secrets);
  const tell = (lines: readonly string[]) => printError(...lines.map(redact));
  const source = await openSource(flags.server, boxing);
  try {
    tell(describeEndpoints(profiles));
    if (flags.printTools === true) tell(await renderTools(await source.open()));
    const paint = createPaint(flags.color);
    const runs: CaseRun[] = [];
    const limits = { ...(maxRetries !== undefined && { maxRetries }), ...(timeout !== undefined && { timeout }) };
    for await (const run of runCases({ cases: found, profiles, fewShots, secrets, open: source.open, ...limits })) {
      runs.push(run);
      if (json) continue;
      printStyled(
        renderRun(run).map((line) => redactLine(line, redact)),
        paint,
      );
      if (dumpContext) tell(renderContext(run));
    }
    if (json) {
      const described = runs.map((run) => describeRun(run, dumpContext));
      printJson(redactIn({ boxing, runs: described }, redact), 2);
    } else print("", ...renderTable(runs).map(redact));
    process.exitCode = exitCode(runs);
  } catch (error) {
    throw redactError(error, redact);
  } finally {
    await source.close();
  }
}

/** One for each model of each profile. */
function readProfiles({ profile: names = [defaultProfile], model: models, temperature }: CasesFlags): Profile[] {
  const envFile = readEnvFile(process.cwd());
  const degree = temperature === undefined ? {} : { temperature };
  return names.flatMap((name) =>
    (models ?? [undefined]).map((model) =>
      readProfile(name, process.env, { envFile, ...degree, ...(model !== undefined && { model }) }),
    ),
  );
}

/** Which hosts are asked, and who chose them: a folder's `.env` may be somebody else's. */
function describeEndpoints(profiles: readonly Profile[]): readonly string[] {
  const lines = profiles.map(({ url, urlFrom }) => {
    const place = urlFrom === "envFile" ? envFilePath(process.cwd()) : "the environment";
    return `prompts go to ${new URL(url).host}, an address that ${place} sets`;
  });
  return [...new Set(lines)];
}

/** Without examples, with them, or both where both are asked for. */
function fewShotsOf({ fewShot = false, zeroShot = false }: CasesFlags, boxing: Boxing): (string | undefined)[] {
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

function redactLine(line: StyledLine, redact: Redact): StyledLine {
  return line.map((part) => (typeof part === "string" ? redact(part) : { ...part, text: redact(part.text) }));
}

/** An error that nobody foresaw may hold a key too. */
function redactError(error: unknown, redact: Redact): unknown {
  if (!(error instanceof Error)) return error;
  error.message = redact(error.message);
  if (error.stack !== undefined) error.stack = redact(error.stack);
  return error;
}

async function asConfigured<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof CaseError ? new ConfigurationError(error.message) : error;
  }
}
