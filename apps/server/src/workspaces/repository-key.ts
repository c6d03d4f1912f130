import { randomBytes } from "node:crypto";
import path from "node:path";
import { createFile } from "./create-file.ts";
import { readOwnFile } from "./read-own-file.ts";

const fileName = "toolpacks-workspace";
const maxBytes = 200;
const pattern = /^[0-9a-f]{32}\n?$/;

/**
 * The random key of a repository, from a file in its git directory: the same for its worktrees and for copies of a checkout. The key is no
 * workspace's id, and leads to a workspace only through this user's registry. Undefined where there is none.
 */
export function readRepositoryKey(gitDirectory: string): string | undefined {
  const text = readOwnFile(path.join(gitDirectory, fileName), maxBytes);
  return text !== undefined && pattern.test(text) ? text.trimEnd() : undefined;
}

/** The key of a repository, which is made where there is none. Undefined where none can be kept. */
export function ensureRepositoryKey(gitDirectory: string): string | undefined {
  const known = readRepositoryKey(gitDirectory);
  if (known !== undefined) return known;
  try {
    createFile(path.join(gitDirectory, fileName), `${randomBytes(16).toString("hex")}\n`);
  } catch {
    return undefined;
  }
  // Another process may have been first.
  return readRepositoryKey(gitDirectory);
}
