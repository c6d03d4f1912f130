import { createHash } from "node:crypto";
import path from "node:path";
import { errorText } from "@toolpacks/core";
import { readRegularFile } from "@toolpacks/files";
import type { ConfigFile } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { configRoots } from "./config-roots.ts";
import { namedFiles } from "./named-files.ts";
import { canonicalPath } from "./trust-record.ts";

const maxHashedBytes = 64 * 1_048_576;

/**
 * SHA-256 of a config file, of the project's files that it runs or reads, and of the real paths of its roots. Imports of these files and programs
 * outside of the project are not included.
 *
 * @throws ConfigurationError for a named file that exists and cannot be hashed
 */
export function configDigest({ config, path: file }: ConfigFile, bytes: Buffer): string {
  const directory = path.dirname(canonicalPath(file));
  const named = namedFiles(config, [directory]).filter(({ isElsewhere }) => !isElsewhere);
  const files = named.map(({ label, path: one }) => [label, one === undefined ? "unresolved" : contentOf(one)]);
  const roots = configRoots({ config, directory }).map(({ key, realPath }) => [key, realPath]);
  return sha256(JSON.stringify([["config", sha256(bytes)], ...files, ...roots]));
}

/**
 * The path and hash of a file, or `missing`: a file that is created later is a change too.
 *
 * @throws ConfigurationError for a file that exists and cannot be hashed
 */
function contentOf(file: string): string {
  try {
    return `${file} ${sha256(readRegularFile(file, maxHashedBytes))}`;
  } catch (error) {
    if (isMissing(error)) return `${file} missing`;
    throw new ConfigurationError(`${file}: cannot be hashed (${errorText(error)})`);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
