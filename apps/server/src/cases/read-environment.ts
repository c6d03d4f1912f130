import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";

/** The environment, and behind it what `.env` of a folder says. */
export function readEnvironment(
  directory: string,
  environment: NodeJS.ProcessEnv,
): Readonly<Record<string, string | undefined>> {
  const file = path.join(directory, ".env");
  return existsSync(file) ? { ...parseEnv(readFileSync(file, "utf8")), ...environment } : environment;
}
