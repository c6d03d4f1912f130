import { createInterface } from "node:readline/promises";
import path from "node:path";
import { printableText } from "@toolpacks/terminal";
import { ConfigurationError } from "@toolpacks/core";
import { inspectTrust, listTrusted, revokeTrust } from "@toolpacks/settings";
import { configDefinition } from "../config/config-definition.ts";
import { print, printJson } from "../print.ts";
import { describeIgnored, namedVariables } from "../trust/describe-ignored.ts";

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
  const io = { cwd: path.resolve(dir ?? "."), env: process.env };
  if (list) return printTrusted(await listTrusted(configDefinition, io), json);
  if (revoke) {
    const { file, wasTrusted } = revokeTrust(configDefinition, io);
    const shown = printableText(file);
    return print(wasTrusted ? `trusted no longer: ${shown}` : `${shown} was not trusted`);
  }
  const decision = await inspectTrust(configDefinition, io);
  const shown = printableText(decision.file.path);
  if (decision.ignored.length === 0) return print(`${shown} sets nothing that needs trust`);
  if (decision.isTrusted) return print(`${shown} is trusted already, as it is now`);
  print(`${shown} would set what only a trusted file may:`);
  const lines = describeIgnored(decision.ignored, decision.file);
  for (const line of lines) print(`  ${line}`);
  const variables = namedVariables(decision.ignored);
  if (variables.length > 0) print(`It reads these variables of the environment: ${variables.join(", ")}`);
  if (!yes) print(`The ${lines.length} lines above are all that it would run and allow. Read each before you agree.`);
  if (!yes && !(await askForAgreement())) {
    process.exitCode = 1;
    return print("not trusted");
  }
  decision.trust();
  print(`trusted: ${shown}. A change of this file asks again; a change of the files that it names does not.`);
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

/** The states of a trusted file, as a list describes them. */
const states = { trusted: "", changed: ", which has changed since", unreadable: ", which cannot be read now" } as const;

function printTrusted(records: Awaited<ReturnType<typeof listTrusted>>, isJson: boolean): void {
  if (isJson) return printJson(records, 2);
  for (const { file, state } of records) print(`${printableText(file)}${states[state]}`);
  if (records.length === 0) print("no config file is trusted");
}
