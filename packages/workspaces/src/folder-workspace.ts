import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import path from "node:path";
import { realPath } from "@toolpacks/files";
import { hash, type Entry, type Identity, type Registry } from "./registry.ts";
import { findRepository } from "./repository.ts";
import { ensureRepositoryKey, readRepositoryKey } from "./repository-key.ts";

/** The workspace of a folder. */
export interface FolderWorkspace {
  readonly id: string;
  /** The folder that holds `.git`, else the folder itself. */
  readonly folder: string;
  /** Whether the registry has no entry for the folder. */
  readonly isNew: boolean;
  /** Key of the folder in the registry. Undefined when the repository has no key yet. */
  readonly identity: Identity | undefined;
}

/** Finds the workspace of a folder without writing anything. A new folder gets a different id each time. */
export function findFolderWorkspace(registry: Registry, directory: string): FolderWorkspace {
  return lookUp(registry, locate(registry, directory));
}

/** Finds the workspace of a folder. For a new folder, writes a key to the repository and an entry to the registry. */
export function ensureFolderWorkspace(registry: Registry, directory: string): FolderWorkspace {
  const location = locate(registry, directory);
  const { folder, gitDirectory } = location;
  const key = gitDirectory === undefined ? undefined : ensureRepositoryKey(registry, gitDirectory);
  const found = lookUp(registry, { ...location, key });
  const identity = found.identity ?? pathIdentity(folder);
  try {
    if (found.isNew || registry.find(identity) === undefined) {
      const { id } = registry.add(identity, { id: found.id, folders: [folder] });
      return { ...found, id, identity };
    }
    const { folders } = registry.find(identity) as Entry;
    if (!folders.includes(folder)) registry.replace(identity, { id: found.id, folders: [...folders, folder] });
    return found;
  } catch {
    // The registry cannot be written, so the id is derived from the folder and the machine: it is the same at each start.
    const id = found.isNew ? makeId(folder, Buffer.from(hash(`${hostname()}\0${identity}`), "hex")) : found.id;
    return { ...found, id, identity };
  }
}

/** Lets a folder, or its repository, use another workspace. Returns the folder and the id of its workspace before. */
export function joinWorkspace(registry: Registry, directory: string, id: string) {
  const { id: before, folder, identity = pathIdentity(folder) } = ensureFolderWorkspace(registry, directory);
  for (const one of new Set([identity, pathIdentity(folder)])) {
    const entry = registry.find(one);
    if (entry !== undefined) registry.replace(one, { ...entry, id });
    else if (one === identity) registry.replace(one, { id, folders: [folder] });
  }
  return { folder, before };
}

interface FolderLocation {
  readonly folder: string;
  readonly gitDirectory: string | undefined;
  readonly key?: string;
}

/** Locates a folder: a folder in a repository is the repository's folder, unless the folder already has its own workspace. */
function locate(registry: Registry, directory: string): FolderLocation {
  const folder = realPath(directory);
  const repository = findRepository(folder);
  if (repository === undefined) return { folder, gitDirectory: undefined };
  const hasOwn = repository.folder !== folder && registry.find(pathIdentity(folder)) !== undefined;
  if (hasOwn) return { folder, gitDirectory: undefined };
  const { gitDirectory } = repository;
  const key = gitDirectory === undefined ? undefined : readRepositoryKey(registry, gitDirectory);
  return { folder: repository.folder, gitDirectory, key };
}

/** Looks up the repository's entry, else the folder's: a folder that became a repository keeps its workspace. */
function lookUp(registry: Registry, { folder, gitDirectory, key }: FolderLocation): FolderWorkspace {
  const ofPath = pathIdentity(folder);
  const identity = key === undefined ? (gitDirectory === undefined ? ofPath : undefined) : (`git:${key}` as const);
  const entry = (identity && registry.find(identity)) ?? registry.find(ofPath);
  return {
    id: entry?.id ?? makeId(folder, randomBytes(16)),
    folder,
    isNew: entry === undefined,
    identity,
  };
}

function pathIdentity(folder: string): Identity {
  return `path:${folder}`;
}

const idPattern = /^(.+)~[0-9a-z]{16}$/;

/** Makes an id of the folder's name and 16 random characters of base 36, which cannot be guessed. */
function makeId(folder: string, random: Buffer): string {
  const number = BigInt(`0x${random.toString("hex")}`) % 36n ** 16n;
  return `${folderName(folder)}~${number.toString(36).padStart(16, "0")}`;
}

/** The folder's name in a generated id; any other id is returned unchanged. */
export function nameInId(id: string): string {
  return idPattern.exec(id)?.[1] ?? id;
}

/** The last part of a path, as a one-line name of at most 40 characters. */
function folderName(folder: string): string {
  const plain = path
    .basename(folder)
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}._ -]+/gu, "-");
  return plain.trim().slice(0, 40).toWellFormed() || "folder";
}
