import { createInterface } from "node:readline/promises";
import path from "node:path";
import { printableText } from "@toolpacks/terminal";
import { findConfig, parseConfig, readConfigBytes } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { print, printJson } from "../print.ts";
import { configDigest } from "../trust/config-digest.ts";
import { describeIgnored, namedVariables } from "../trust/describe-ignored.ts";
import { canonicalPath, removeTrust, trustRecord, trustRecords, writeTrust } from "../trust/trust-record.ts";
import { restrictConfig } from "../trust/untrusted-config.ts";

export interface TrustFlags {
  readonly yes?: boolean;
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly json?: boolean;
}

/** `toolpacks trust [dir]`: shows what a project's config file would run and allow, and records its content as trusted. */
export async function trust(dir: string | undefined, flags: TrustFlags): Promise<void> {
  const { yes = false, list = false, revoke = false, json = false } = flags;
  if (list && revoke) throw new ConfigurationError("--list and --revoke: expected one of them");
  if (json && !list) throw new ConfigurationError("--json: requires --list; drop --json");
  if (list) return listTrusted(json);
  const directory = path.resolve(dir ?? ".");
  if (revoke) return revokeTrust(directory);
  const found = configOf(directory);
  const bytes = readConfigBytes(found, "found");
  const file = await parseConfig(found, bytes);
  const { ignored } = await restrictConfig(file.config);
  const shown = printableText(found);
  if (ignored.length === 0) return print(`${shown} sets nothing that needs trust`);
  const record = { file: canonicalPath(found), digest: configDigest(file, bytes) };
  if (trustRecord(record.file)?.digest === record.digest) return print(`${shown} is trusted already, as it is now`);
  print(`${shown} would set what only a trusted file may:`);
  const lines = describeIgnored(ignored, file);
  for (const line of lines) print(`  ${line}`);
  const variables = namedVariables(ignored);
  if (variables.length > 0) print(`It reads these variables of the environment: ${variables.join(", ")}`);
  if (!yes) print(`The ${lines.length} lines above are all that it would run and allow. Read each before you agree.`);
  if (!yes && !(await askForAgreement())) {
    process.exitCode = 1;
    return print("not trusted");
  }
  writeTrust(record);
  print(
    `trusted: ${shown}. A change of the file, or of a file of the project that it names, asks again; a change of what these files import does not.`,
  );
}

/** Finds the config file that a server started in this folder would use. */
function configOf(directory: string): string {
  const found = findConfig(directory);
  if (found !== undefined) return found;
  throw new ConfigurationError(`no config file was found in ${printableText(directory)} or above it`);
}

async function askForAgreement(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new ConfigurationError("trust: needs a terminal to ask; use --yes to trust the file without asking");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question("Trust this file? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}

async function listTrusted(isJson: boolean): Promise<void> {
  const records = await Promise.all(
    trustRecords().map(async ({ file, digest }) => ({ file, state: await readState(file, digest) })),
  );
  if (isJson) return printJson(records, 2);
  for (const { file, state } of records) print(`${printableText(file)}${states[state]}`);
  if (records.length === 0) print("no config file is trusted");
}

/** The states of a trusted file, as a list describes them. */
const states = { trusted: "", changed: ", which has changed since", unreadable: ", which cannot be read now" } as const;

async function readState(file: string, digest: string): Promise<keyof typeof states> {
  try {
    const bytes = readConfigBytes(file, "found");
    return configDigest(await parseConfig(file, bytes), bytes) === digest ? "trusted" : "changed";
  } catch (error) {
    if (error instanceof ConfigurationError) return "unreadable";
    throw error;
  }
}

function revokeTrust(directory: string): void {
  const place = trustRecord(directory) === undefined ? canonicalPath(configOf(directory)) : directory;
  const shown = printableText(place);
  print(removeTrust(place) ? `trusted no longer: ${shown}` : `${shown} was not trusted`);
}
