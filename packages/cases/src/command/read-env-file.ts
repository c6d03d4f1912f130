import { existsSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import { errorText } from "@toolpacks/core";
import { readRegularFile } from "@toolpacks/files";
import { CaseError } from "../case-error.ts";

const maxBytes = 1_048_576;

/** Reads the variables in `.env` of a folder; none when there is no file. @throws CaseError when it cannot be read */
export function readEnvFile(directory: string): Readonly<Record<string, string | undefined>> {
  const file = envFilePath(directory);
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readRegularFile(file, maxBytes).toString("utf8"));
  } catch (error) {
    throw new CaseError(`${file}: cannot be read (${errorText(error)})`);
  }
}

export function envFilePath(directory: string): string {
  return path.join(directory, ".env");
}
