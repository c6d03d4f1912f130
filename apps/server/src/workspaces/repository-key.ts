import { randomBytes } from "node:crypto";
import { accessSync, constants, lstatSync } from "node:fs";
import path from "node:path";
import { createFile, replaceFile } from "./create-file.ts";
import { readOwnFile } from "./read-own-file.ts";
import type { Registry } from "./registry.ts";

const fileName = "toolpacks-workspace";
/** One key a line, one line for each machine that uses the repository: a container and its host share one. */
const maxKeys = 16;
const maxBytes = maxKeys * 33;
const pattern = /^[0-9a-f]{32}(?:\n[0-9a-f]{32})*\n?$/;

/**
 * The random key of a repository, from a file in its git directory: the same for its worktrees and for copies of a checkout. A key counts
 * only where it was made on this machine, so that archives which bring the same key share nothing. Undefined where there is none.
 */
export function readRepositoryKey(registry: Registry, gitDirectory: string): string | undefined {
  return readKeys(path.join(gitDirectory, fileName)).find((key) => isOwnKey(registry, key));
}

/** The key of a repository, which is made where this machine has none. Undefined where none can be kept. */
export function ensureRepositoryKey(registry: Registry, gitDirectory: string): string | undefined {
  const known = readRepositoryKey(registry, gitDirectory);
  if (known !== undefined) return known;
  try {
    accessSync(gitDirectory, constants.W_OK);
    addKey(registry, path.join(gitDirectory, fileName));
  } catch {
    return undefined;
  }
  // Another process may have been first.
  return readRepositoryKey(registry, gitDirectory);
}

function addKey(registry: Registry, file: string): void {
  // Taken before the file is read, so that processes that read the same keys add the same key.
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) {
    createFile(file, `${makeKey(registry)}\n`);
    return;
  }
  const keys = readKeys(file);
  if (keys.length === 0 || keys.some((key) => isOwnKey(registry, key))) return;
  const added = agreedKey(registry, `${file}\0${stats.ino}\0${stats.ctimeNs}`);
  replaceFile(file, [...keys.slice(1 - maxKeys), added, ""].join("\n"));
}

function readKeys(file: string): readonly string[] {
  const text = readOwnFile(file, maxBytes);
  return text !== undefined && pattern.test(text) ? text.trimEnd().split("\n") : [];
}

/** A key without a record has an entry where an earlier version made it. */
function isOwnKey(registry: Registry, key: string): boolean {
  return registry.findKey(key) !== undefined || registry.find(`git:${key}`) !== undefined;
}

/** A new key. The registry knows the key before another process can read it from the repository. */
function makeKey(registry: Registry): string {
  const key = randomBytes(16).toString("hex");
  return registry.addKey(key, key);
}

/**
 * The key that is added to a file of other machines' keys, the same for processes that add one at once.
 *
 * @param occasion the file with its number and time of change: an archive that is unpacked in the same place later is another occasion
 */
function agreedKey(registry: Registry, occasion: string): string {
  return registry.findKey(occasion) ?? registry.addKey(occasion, makeKey(registry));
}
