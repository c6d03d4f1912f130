import { closest } from "@toolpacks/core";
import type { ConfigFile } from "./config-file.ts";

const prefix = "TOOLPACKS_";

/** Every variable that the server, workflows and prompt cases read, without the prefix. */
export const knownVariables: readonly string[] = [
  "CONFIG",
  "ROOTS",
  "STORE",
  "WORKSPACE",
  "ACTOR",
  "SURFACE",
  "EXPOSE",
  "LOG_LEVEL",
  "SECRET_KEY",
  "WARM",
  "MODEL",
  "MODEL_URL",
  "MODEL_KEY",
  "BASE_URL",
  "PROVIDER",
  "API_KEY",
  "TEMPERATURE",
  // Variables of our own tests.
  "CAMPAIGN",
  "SEQUENCES",
];

/** Variables of a profile of prompt cases whose name begins with `toolpacks-`. */
const profileVariable = /_(BASE_URL|MODEL_URL|PROVIDER|MODEL|API_KEY|MODEL_KEY|TEMPERATURE)$/;

/** A warning for each `$TOOLPACKS_…` variable that nothing reads and the config file does not name. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
  file: ConfigFile | undefined,
): readonly string[] {
  const unknown = Object.keys(environment).filter(
    (name) =>
      name.startsWith(prefix) && !knownVariables.includes(name.slice(prefix.length)) && !profileVariable.test(name),
  );
  if (unknown.length === 0) return [];
  const inFile = JSON.stringify(file?.config ?? {});
  return unknown.filter((name) => !inFile.includes(name)).map((name) => `unknown variable $${name}${suggestion(name)}`);
}

function suggestion(name: string): string {
  const near = closest(name.slice(prefix.length), knownVariables, 0.7);
  return near === undefined ? "" : ` (did you mean $${prefix}${near}?)`;
}
