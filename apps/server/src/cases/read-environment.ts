import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { ConfigurationError } from "../configuration-error.ts";

/** The environment, and behind it what `.env` of a folder says. */
export function readEnvironment(
  directory: string,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string | undefined>> {
  const file = path.join(directory, ".env");
  if (!existsSync(file)) return environment;
  try {
    return { ...parseEnv(readFileSync(file, "utf8")), ...environment };
  } catch (error) {
    throw new ConfigurationError(`${file}: cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}
