import { mkdir } from "node:fs/promises";
import path from "node:path";
import { hasCode } from "./file-error.ts";
import { deepestExisting, openDirectory, type PinnedDirectory } from "./pinned-directory.ts";
import type { Protection } from "./protection.ts";
import { isInside, outside, resolveLexically, rootOf, show, type RootList } from "./root-paths.ts";

export interface MakeDirectoriesOptions {
  readonly signal: AbortSignal;
  /** Creates only the parents of the path, for a file that is written next. Default false. */
  readonly parentsOnly?: boolean;
}

/** Creates a directory and its missing parents, each through its open parent. Returns whether it created any. */
export async function makeDirectories(
  context: RootList & { readonly protection: Protection },
  input: string,
  { signal, parentsOnly = false }: MakeDirectoriesOptions,
): Promise<boolean> {
  const { root, full } = resolveLexically(context, input);
  const wanted = parentsOnly && full !== root.path ? path.dirname(full) : full;
  const existing = await deepestExisting(wanted);
  const owner = rootOf(context, existing.real);
  if (owner === undefined) throw outside(input, context);
  const below = path.relative(existing.lexical, wanted);
  const names = below === "" ? [] : below.split(path.sep);
  const real = path.join(existing.real, path.relative(existing.lexical, full));
  if (names.length > 0) await context.protection.check({ lexical: full, real, shown: show(context, real) }, "write");

  const open = async (directory: string) => {
    const opened = await openDirectory(directory, (one) => isInside(owner.path, one));
    if (opened === undefined) throw outside(input, context);
    return opened;
  };
  let directory = await open(existing.real);
  try {
    for (const [at, name] of names.entries()) {
      signal.throwIfAborted();
      await makeDirectory(directory, name);
      // The new directories can be lost until the first one is on disk.
      if (at === 0) await directory.sync();
      const child = await open(directory.at(name));
      await directory.close();
      directory = child;
    }
  } finally {
    await directory.close();
  }
  return names.length > 0;
}

/** Creates a directory unless it exists. If something else has this name, opening it as a directory fails later. */
export async function makeDirectory(parent: PinnedDirectory, name: string): Promise<void> {
  await mkdir(parent.at(name)).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
}
