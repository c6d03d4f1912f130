import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { hash, type Entry, type Identity, type Registry } from "./registry.ts";
import { findRepository, type Repository } from "./repository.ts";
import { ensureRepositoryKey, readRepositoryKey } from "./repository-key.ts";

/** The workspace of a folder, as it is found on disk. */
export interface FolderWorkspace {
  readonly id: string;
  /** What is known again: the folder that holds `.git`, else the folder itself. */
  readonly folder: string;
  /** True where nothing has been kept of the folder yet. */
  readonly isNew: boolean;
  /** By which the registry knows the folder. Undefined where the repository has no key yet. */
  readonly identity: Identity | undefined;
  /** The repository that the folder lies in, where the folder has a workspace of its own. */
  readonly within?: Repository;
}

/** Finds the workspace of a folder, and keeps nothing. An id for a new folder is another one each time. */
export function findFolderWorkspace(registry: Registry, directory: string): FolderWorkspace {
  return lookUp(registry, locate(registry, directory));
}

/** Finds the workspace of a folder, and keeps what is new: a key in the repository, an entry in the registry. */
export function ensureFolderWorkspace(registry: Registry, directory: string): FolderWorkspace {
  const place = locate(registry, directory);
  const { folder, gitDirectory } = place;
  const key = gitDirectory === undefined ? undefined : ensureRepositoryKey(registry, gitDirectory);
  const found = lookUp(registry, { ...place, key });
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
    // Nothing can be kept, so the id must be the same at each start, and another one in every other folder and on every other machine.
    const id = found.isNew ? makeId(folder, Buffer.from(hash(`${hostname()}\0${identity}`), "hex")) : found.id;
    return { ...found, id, identity };
  }
}

interface Place {
  readonly folder: string;
  readonly gitDirectory: string | undefined;
  readonly key?: string | undefined;
  readonly within?: Repository;
}

/** A folder within a repository is the repository's, unless a workspace of its own was made for it before. */
function locate(registry: Registry, directory: string): Place {
  const folder = realPath(directory);
  const repository = findRepository(folder);
  if (repository === undefined) return { folder, gitDirectory: undefined };
  const hasOwn = repository.folder !== folder && registry.find(pathIdentity(folder)) !== undefined;
  if (hasOwn) return { folder, gitDirectory: undefined, within: repository };
  const { gitDirectory } = repository;
  const key = gitDirectory === undefined ? undefined : readRepositoryKey(registry, gitDirectory);
  return { folder: repository.folder, gitDirectory, key };
}

/** The repository's entry, else the folder's: a folder that became a repository keeps its workspace. */
function lookUp(registry: Registry, { folder, gitDirectory, key, within }: Place): FolderWorkspace {
  const ofPath = pathIdentity(folder);
  const identity = key === undefined ? (gitDirectory === undefined ? ofPath : undefined) : (`git:${key}` as const);
  const entry = (identity && registry.find(identity)) ?? registry.find(ofPath);
  return {
    id: entry?.id ?? makeId(folder, randomBytes(16)),
    folder,
    isNew: entry === undefined,
    identity,
    ...(within && { within }),
  };
}

export function pathIdentity(folder: string): Identity {
  return `path:${folder}`;
}

const idPattern = /^(.+)~[0-9a-z]{16}$/;

/** An id that says its folder's name, and cannot be guessed: 16 characters of base 36. */
function makeId(folder: string, random: Buffer): string {
  const number = BigInt(`0x${random.toString("hex")}`) % 36n ** 16n;
  return `${folderName(folder)}~${number.toString(36).padStart(16, "0")}`;
}

/** The name of the folder that an id was made for; the id itself where people chose it. */
export function nameInId(id: string): string {
  return idPattern.exec(id)?.[1] ?? id;
}

/** The last part of a path, as a name of at most 40 characters that stands on one line. */
function folderName(folder: string): string {
  const plain = path
    .basename(folder)
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{M}\p{N}._ -]+/gu, "-");
  return plain.trim().slice(0, 40).toWellFormed() || "folder";
}

function realPath(directory: string): string {
  try {
    // The native one spells names as the disk does, where case does not matter.
    return realpathSync.native(directory);
  } catch {
    return path.resolve(directory);
  }
}
