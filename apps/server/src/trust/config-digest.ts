import { createHash } from "node:crypto";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { isBundled } from "../bundled-packs.ts";
import type { ConfigFile } from "../config/config-file.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { expandVariables } from "../expand-variables.ts";
import { packModule } from "../pack-module.ts";
import { readRegularFile } from "../read-regular-file.ts";
import { resolvePath } from "../resolve-path.ts";
import { placeOf } from "./trust-record.ts";

const maxHashedBytes = 64 * 1_048_576;

/**
 * SHA-256 of a config file and of the local files that it names and that run or feed it: modules of packs, and `envFile`s. Files that a module
 * imports are not part of it, nor are the programs that `mcpServers` starts.
 *
 * @throws ConfigurationError for a named file that is there and cannot be hashed
 */
export function configDigest({ config, path: file }: ConfigFile, bytes: Buffer): string {
  const directory = path.dirname(placeOf(file));
  const modules = Object.entries(config.packs ?? {})
    .filter(([name, options]) => !isBundled(name) && options !== false)
    .map(([name]) => [`pack ${name}`, contentOf(() => packModule(name, directory))]);
  const envFiles = Object.entries(config.mcpServers ?? {})
    .filter(([, block]) => isObject(block) && typeof block["envFile"] === "string")
    .map(([name, block]) => [`envFile ${name}`, contentOf(() => envFileOf(block, directory))]);
  return sha256(JSON.stringify([["config", sha256(bytes)], ...modules, ...envFiles]));
}

function envFileOf(block: unknown, directory: string): string {
  const { envFile } = block as { readonly envFile: string };
  return resolvePath(directory, expandVariables(envFile, process.env));
}

/**
 * The path and hash of a file, or that it is missing: a file that appears later is a change too.
 *
 * @throws ConfigurationError for a file that is there and cannot be hashed
 */
function contentOf(locate: () => string): string {
  let file: string;
  try {
    file = locate();
  } catch {
    return "unresolved";
  }
  try {
    return `${file} ${sha256(readRegularFile(file, maxHashedBytes))}`;
  } catch (error) {
    if (isMissing(error)) return `${file} missing`;
    throw new ConfigurationError(
      `${file}: cannot be hashed (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
