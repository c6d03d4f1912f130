import { createHash } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import envPaths from "env-paths";
import { createFile, replaceFile } from "./create-file.ts";
import { readOwnFile } from "./read-own-file.ts";

/** How a folder is known again: by its repository's key, or by its real path. */
export type Identity = `git:${string}` | `path:${string}`;

/** Where records of a folder or a repository of this machine go. */
export interface Entry {
  /** The workspace's id. */
  readonly id: string;
  /** Real paths of the folders that were used under this identity. */
  readonly folders: readonly string[];
}

const maxBytes = 1_048_576;
const maxFolders = 100;

/**
 * Which workspace each folder and repository of this machine belongs to, and what people call them: a small file for each, in the user's
 * data folder, so that processes that start at once need no lock.
 */
export interface Registry {
  readonly directory: string;
  find(identity: Identity): Entry | undefined;
  /** Keeps an entry, or returns the one that another process kept first. */
  add(identity: Identity, entry: Entry): Entry;
  replace(identity: Identity, entry: Entry): void;
  entries(): readonly Entry[];
  /** The repository key that was kept under a name. */
  findKey(name: string): string | undefined;
  /** Keeps a repository key, or returns the one that another process kept first under this name. */
  addKey(name: string, key: string): string;
  /** The name that a workspace was given. */
  findName(id: string): string | undefined;
  rename(id: string, name: string): void;
}

export function openRegistry(): Registry {
  const directory = path.join(envPaths("toolpacks", { suffix: "" }).data, "workspaces");
  const fileOf = (key: string) => path.join(directory, `${hash(key)}.json`);
  const write = (identity: Identity | `name:${string}`, value: object) => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    replaceFile(fileOf(identity), `${JSON.stringify(value)}\n`);
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
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      if (createFile(fileOf(identity), `${JSON.stringify(entry)}\n`)) return entry;
      const first = find(identity);
      if (first !== undefined) return first;
      // A damaged file leads nowhere.
      write(identity, entry);
      return entry;
    },
    replace: (identity, { id, folders }) => write(identity, { id, folders: folders.slice(-maxFolders) }),
    entries: () => namesOfFiles(directory).flatMap((name) => readEntry(path.join(directory, name)) ?? []),
    findKey,
    addKey(name, key) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      if (createFile(fileOf(`key:${name}`), `${JSON.stringify({ key })}\n`)) return key;
      return findKey(name) ?? key;
    },
    findName(id) {
      const { name } = readObject(fileOf(`name:${id}`));
      return typeof name === "string" && isWorkspaceText(name) ? name : undefined;
    },
    rename: (id, name) => write(`name:${id}`, { name }),
  };
}

/** What may be the id or the name of a workspace: 1 to 100 characters, none of them a control character. */
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
  try {
    return Object(JSON.parse(readOwnFile(file, maxBytes) ?? "{}")) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function namesOfFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
  } catch {
    return [];
  }
}
