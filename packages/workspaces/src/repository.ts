import { lstatSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { isOwn, readOwnFile } from "./read-own-file.ts";

/** A checkout of a git repository. */
export interface Repository {
  /** The folder that holds `.git`. */
  readonly folder: string;
  /** The git directory that all worktrees share. Undefined when the repository does not confirm that the folder is its checkout. */
  readonly gitDirectory: string | undefined;
}

/** Finds the checkout of a folder: the nearest folder upward with a `.git` that belongs to this user. */
export function findRepository(folder: string): Repository | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    const stats = statsOf(path.join(at, ".git"));
    // Another user may have created a `.git` in a shared folder such as /tmp.
    if (stats !== undefined && isOwn(stats)) {
      const gitDirectory = stats.isDirectory()
        ? path.join(at, ".git")
        : stats.isFile()
          ? linkedDirectory(at)
          : undefined;
      return { folder: at, gitDirectory };
    }
    if (path.dirname(at) === at) return undefined;
  }
}

const maxFileBytes = 4_096;
const maxConfigBytes = 1_048_576;

/** Finds the git directory that a `.git` file names. An archive may contain such a file, so the git directory must name the folder too. */
function linkedDirectory(folder: string): string | undefined {
  const dotGit = path.join(folder, ".git");
  const named = /^gitdir: (.+?)\r?\n?$/.exec(readOwnFile(dotGit, maxFileBytes) ?? "")?.[1];
  const directory = named === undefined ? undefined : realPath(path.resolve(folder, named));
  if (directory === undefined) return undefined;
  const parent = path.dirname(directory);
  if (path.basename(parent) === "worktrees") {
    const checkout = readOwnFile(path.join(directory, "gitdir"), maxFileBytes)?.trimEnd();
    // Git writes both paths absolute or both relative. An archive that imitates a removed worktree cannot know the absolute path.
    if (checkout === undefined || named === undefined || path.isAbsolute(checkout) !== path.isAbsolute(named))
      return undefined;
    return realPath(path.resolve(directory, checkout)) === realPath(dotGit) ? path.dirname(parent) : undefined;
  }
  // A submodule has its own repository.
  const config = readOwnFile(path.join(directory, "config"), maxConfigBytes) ?? "";
  const worktree = worktreeIn(config);
  return worktree !== undefined && realPath(path.resolve(directory, worktree)) === folder ? directory : undefined;
}

/** The value of the first `worktree` in git's configuration. */
function worktreeIn(config: string): string | undefined {
  for (const line of config.split("\n")) {
    if (line.length > maxFileBytes) continue;
    const [name = "", ...value] = line.split("=");
    if (name.trim() === "worktree" && value.length > 0) return value.join("=").trim() || undefined;
  }
  return undefined;
}

/** The stats of a file; undefined when it is missing or not accessible. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync.native(file);
  } catch {
    return undefined;
  }
}
