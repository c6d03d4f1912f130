import path from "node:path";
import { ConfigurationError } from "@toolpacks/core";
import { inspectTrust, listTrusted, revokeTrust } from "@toolpacks/settings";
import { printableText, type Io, print, printJson } from "@toolpacks/terminal";
import { configDefinition } from "../config/config-definition.ts";
import { describeIgnored, namedVariables } from "../trust/describe-ignored.ts";
import { confirm } from "./confirm.ts";

interface TrustFlags {
  readonly yes?: boolean;
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly json?: boolean;
}

/** `toolpacks trust [dir]`: shows what a project's config file would run and allow, and records its content as trusted. */
export async function trust(io: Io, flags: TrustFlags, dir = "."): Promise<number> {
  const { yes = false, list = false, revoke = false, json = false } = flags;
  if (list && revoke) throw new ConfigurationError("--list and --revoke: expected one of them");
  if (json && !list) throw new ConfigurationError("--json: requires --list; drop --json");
  const place = { cwd: path.resolve(io.cwd, dir), env: io.env };
  if (list) {
    printTrusted(io, await listTrusted(configDefinition, place), json);
    return 0;
  }
  if (revoke) {
    const { file, wasTrusted } = revokeTrust(configDefinition, place);
    print(io, wasTrusted ? `trusted no longer: ${file}` : `${file} was not trusted`);
    return 0;
  }
  const { file, ignored, isTrusted, trust: accept } = await inspectTrust(configDefinition, place);
  const shown = printableText(file.path);
  if (ignored.length === 0 || isTrusted) {
    print(io, `${shown} ${isTrusted ? "is trusted already, as it is now" : "sets nothing that needs trust"}`);
    return 0;
  }
  const lines = describeIgnored(ignored, file);
  print(io, `${shown} would set what only a trusted file may:`, ...lines.map((line) => `  ${line}`));
  const variables = namedVariables(ignored);
  if (variables.length > 0) print(io, `It reads these variables of the environment: ${variables.join(", ")}`);
  if (!yes && !(await askForAgreement(io, lines.length))) {
    print(io, "not trusted");
    return 1;
  }
  accept();
  print(io, `trusted: ${shown}. A change of this file asks again; a change of the files that it names does not.`);
  return 0;
}

function askForAgreement(io: Io, lineCount: number): Promise<boolean> {
  print(io, `The ${lineCount} lines above are all that it would run and allow. Read each before you agree.`);
  const otherwise = "trust: needs a terminal to ask; use --yes to trust the file without asking";
  return confirm(io, "Trust this file?", otherwise);
}

/** The states of a trusted file, as a list describes them. */
const states = { trusted: "", changed: ", which has changed since", unreadable: ", which cannot be read now" } as const;

function printTrusted(io: Io, records: Awaited<ReturnType<typeof listTrusted>>, isJson: boolean): void {
  if (isJson) return printJson(io, records, 2);
  for (const { file, state } of records) print(io, `${file}${states[state]}`);
  if (records.length === 0) print(io, "no config file is trusted");
}
