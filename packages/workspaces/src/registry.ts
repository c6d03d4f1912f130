import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { jsonValue } from "@toolpacks/core";
import { makePrivateFolder, writeAtomicallySync } from "@toolpacks/files";
import { createFile } from "./create-file.ts";
import { readOwnFile } from "./read-own-file.ts";

/** Identifies a folder by its repository's key, or by its real path. */
export type Identity = `git:${string}` | `path:${string}`;

/** The workspace of a folder or repository of this machine. */
export interface Entry {
  /** Id of the workspace. */
  readonly id: string;
  /** Real paths of the folders with this identity. */
  readonly folders: readonly string[];
}

const maxBytes = 1_048_576;
const maxFolders = 100;

/**
 * The workspaces of this machine's folders and repositories. Each entry is a small file in the user's data folder, so that
 * concurrent processes need no lock.
 */
export interface Registry {
  readonly directory: string;
  find(identity: Identity): Entry | undefined;
  /** Adds an entry, or returns the entry that another process added first. */
  add(identity: Identity, entry: Entry): Entry;
  replace(identity: Identity, entry: Entry): void;
  entries(): readonly Entry[];
  /** Finds the repository key with a name. */
  findKey(name: string): string | undefined;
  /** Adds a repository key, or returns the key that another process added first under this name. */
  addKey(name: string, key: string): string;
}

/** Opens the registry in a folder that only the user can write. The folder is created with the first entry. */
export function openRegistry(directory: string): Registry {
  const fileOf = (key: string) => path.join(directory, `${hash(key)}.json`);
  const write = (identity: Identity, value: object) => {
    makePrivateFolder(directory);
    writeAtomicallySync(fileOf(identity), `${JSON.stringify(value)}\n`, { mode: 0o600 });
  };
  const findKey = (name: string) => {
    const { key } = readObject(fileOf(`key:${name}`));
    return typeof key === "string" ? key : undefined;
  };
  const find = (identity: Identity) => readEntry(fileOf(identity));
  return {
    directory,
    find,
    add(identity, entry) {
      makePrivateFolder(directory);
      if (createFile(fileOf(identity), `${JSON.stringify(entry)}\n`)) return entry;
      const first = find(identity);
      if (first !== undefined) return first;
      // The existing file is damaged.
      write(identity, entry);
      return entry;
    },
    replace: (identity, { id, folders }) => write(identity, { id, folders: folders.slice(-maxFolders) }),
    entries: () => namesOfFiles(directory).flatMap((name) => readEntry(path.join(directory, name)) ?? []),
    findKey,
    addKey(name, key) {
      makePrivateFolder(directory);
      if (createFile(fileOf(`key:${name}`), `${JSON.stringify({ key })}\n`)) return key;
      return findKey(name) ?? key;
    },
  };
}

/** Whether a text is valid as a workspace's id or name: 1 to 100 characters, none of them a control character. */
export function isWorkspaceText(text: string): boolean {
  return text.length > 0 && text.length <= 100 && !/[\p{Cc}\p{Cs}]/u.test(text);
}

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function readEntry(file: string): Entry | undefined {
  const { id, folders } = readObject(file);
  if (typeof id !== "string" || !isWorkspaceText(id) || !Array.isArray(folders)) return undefined;
  return { id, folders: folders.filter((folder) => typeof folder === "string") };
}

function readObject(file: string): Readonly<Record<string, unknown>> {
  return Object(jsonValue(readOwnFile(file, maxBytes) ?? "{}")) as Record<string, unknown>;
}

function namesOfFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  } catch {
    return [];
  }
}
