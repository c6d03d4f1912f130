import { randomBytes } from "node:crypto";
import { accessSync, constants, lstatSync } from "node:fs";
import path from "node:path";
import { writeAtomicallySync } from "@toolpacks/files";
import { createFile } from "./create-file.ts";
import { readOwnFile } from "./read-own-file.ts";
import type { Registry } from "./registry.ts";

const fileName = "toolpacks-workspace";
/** Maximum number of keys, one line per machine: a container and its host may use the same repository. */
const maxKeys = 16;
const maxBytes = maxKeys * 33;
const pattern = /^[0-9a-f]{32}(?:\n[0-9a-f]{32})*\n?$/;

/** The file with the key of a repository. */
export function repositoryKeyFile(gitDirectory: string): string {
  return path.join(gitDirectory, fileName);
}

/**
 * Reads the random key of a repository from a file in its git directory. Worktrees and copies of a checkout have the same key. Only a key that
 * was made on this machine is valid, so that archives with the same key share nothing. Undefined when there is none.
 */
export function readRepositoryKey(registry: Registry, gitDirectory: string): string | undefined {
  return readKeys(repositoryKeyFile(gitDirectory)).find((key) => isOwnKey(registry, key));
}

/** Reads the key of a repository, or creates it. Undefined when it cannot be written. */
export function ensureRepositoryKey(registry: Registry, gitDirectory: string): string | undefined {
  const known = readRepositoryKey(registry, gitDirectory);
  if (known !== undefined) return known;
  try {
    accessSync(gitDirectory, constants.W_OK);
    addKey(registry, repositoryKeyFile(gitDirectory));
  } catch {
    return undefined;
  }
  // Another process may have been first.
  return readRepositoryKey(registry, gitDirectory);
}

function addKey(registry: Registry, file: string): void {
  // The stats are read before the file, so that processes that read the same keys add the same key.
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) {
    createFile(file, `${makeKey(registry)}\n`);
    return;
  }
  const keys = readKeys(file);
  if (keys.length === 0 || keys.some((key) => isOwnKey(registry, key))) return;
  const added = agreedKey(registry, `${file}\0${stats.ino}\0${stats.ctimeNs}`);
  writeAtomicallySync(file, [...keys.slice(1 - maxKeys), added, ""].join("\n"), { mode: 0o600 });
}

function readKeys(file: string): readonly string[] {
  const text = readOwnFile(file, maxBytes);
  return text !== undefined && pattern.test(text) ? text.trimEnd().split("\n") : [];
}

/** Whether a key was made on this machine. Earlier versions wrote an entry and no record of the key. */
function isOwnKey(registry: Registry, key: string): boolean {
  return registry.findKey(key) !== undefined || registry.find(`git:${key}`) !== undefined;
}

/** Makes a new key. It is in the registry before another process can read it from the repository. */
function makeKey(registry: Registry): string {
  const key = randomBytes(16).toString("hex");
  return registry.addKey(key, key);
}

/**
 * Gets the key to add to a file with keys of other machines. Concurrent processes get the same key.
 *
 * @param fileVersion path, inode and change time of the file: an archive that is unpacked to the same path later has another version
 */
function agreedKey(registry: Registry, fileVersion: string): string {
  return registry.findKey(fileVersion) ?? registry.addKey(fileVersion, makeKey(registry));
}
