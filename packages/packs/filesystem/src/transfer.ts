import { randomUUID } from "node:crypto";
import { lstat } from "node:fs/promises";
import path from "node:path";
import { detail, ToolError, type ToolContext, quoteName } from "@toolpacks/core";
import {
  hasCode,
  cutName,
  isInside,
  pathField,
  type RootEntry,
  type Roots,
  renameEntry,
  renameToFreeName,
  temporaryName,
} from "@toolpacks/files";
import { z } from "zod";
import { copyTree, removeTree, requireNames, type TreeOptions } from "./copy-tree.ts";
import { treeSize } from "./tree-size.ts";
import { overwriteField, parentsField, parentsHint } from "./place-fields.ts";

/** The input of `fs_move` and `fs_copy`. */
export const transferInput = z.object({
  from: pathField.meta(detail("old path")),
  to: pathField.meta(detail("new path")),
  overwrite: overwriteField,
  parents: parentsField.meta(detail("make missing folders")),
});

export const transferOutput = z.object({
  from: z.string(),
  to: z.string(),
  replaced: z.boolean(),
  bytes: z.int().optional().describe("of all files; absent for a folder too large to count"),
  files: z.int().optional().describe("in a folder"),
});

/** Renders a transfer: `copied a to b, 3 files, 120 bytes`. */
export function renderTransfer(verb: string, { from, to, files, bytes }: z.output<typeof transferOutput>): string {
  const counts = [
    ...(files === undefined ? [] : [`, ${files} ${files === 1 ? "file" : "files"}`]),
    ...(bytes === undefined ? [] : [`, ${bytes} bytes`]),
  ];
  return `${verb} ${quoteName(from)} to ${quoteName(to)}${counts.join("")}`;
}

interface Transfer extends z.output<typeof transferInput> {
  readonly roots: Roots;
  readonly context: ToolContext;
  readonly mode: "move" | "copy";
}

/** Moves or copies an entry. A replaced entry is renamed first, and restored if anything fails. */
export async function transfer({ roots, from, to, overwrite = false, parents = false, context, mode }: Transfer) {
  const put = mode === "move" ? moveEntry : copyEntry;
  return roots.at(
    from,
    async (source) => {
      await lstat(source.path);
      // A folder that moves into itself is refused below, and makes no folders.
      if (parents && !isInside(roots.absolute(from), roots.absolute(to)))
        await roots.makeDirectories(to, { signal: context.signal, parentsOnly: true });
      const done = roots.at(
        to,
        async (target) => {
          if (source.holdsRoot || target.holdsRoot)
            throw new ToolError(
              "invalid_input",
              `${source.holdsRoot ? "from" : "to"}: a root cannot be moved or replaced`,
            );
          const options = treeOptions(context);
          const taken = await exists(target.path);
          if (taken && !overwrite) {
            throw new ToolError(
              "conflict",
              `${quoteName(target.shown)}: it exists already`,
              "Pass overwrite: true to replace it.",
            );
          }
          rejectNested(source, target);
          if (taken) await replaceWith(target, options, () => put(source, target, options));
          else await put(source, target, options);
          await target.directory.sync();
          return { from: source.shown, to: target.shown, replaced: taken, ...(await treeSize(target, context.signal)) };
        },
        { follow: false, access: "replace" },
      );
      return done.catch((error: unknown) => {
        if (!ToolError.is(error) || error.code !== "not_found") throw error;
        throw new ToolError(error.code, error.message, parentsHint);
      });
    },
    { follow: false, access: mode === "move" ? "replace" : "read" },
  );
}

/** Moves an entry by a rename, or to another file system by a copy and a removal. Never replaces an entry. */
export async function moveEntry(from: RootEntry, to: RootEntry, options: TreeOptions): Promise<void> {
  try {
    if ((await lstat(from.path)).isFile()) await renameToFreeName(from.path, to.path);
    else await renameEntry(from.path, to.path);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    await copyEntry(from, to, options);
    await removeTree(from, options);
  }
}

/** Copies an entry to a temporary name, then renames it, so that a failed copy leaves nothing behind. Never replaces an entry. */
async function copyEntry(from: RootEntry, to: RootEntry, options: TreeOptions): Promise<void> {
  const copy = { directory: to.directory, name: temporaryName(to.name) };
  const path = to.directory.at(copy.name);
  try {
    await copyTree(from, copy, options);
    options.signal.throwIfAborted();
    if ((await lstat(path)).isDirectory()) await renameEntry(path, to.path);
    else await renameToFreeName(path, to.path);
  } catch (error) {
    await removeTree(copy, { signal: new AbortController().signal, onEntry: () => {} }).catch(() => {});
    throw error;
  }
}

export function treeOptions({ signal, progress }: ToolContext): TreeOptions {
  const every = 100;
  return {
    signal,
    onEntry: (done) => {
      if (done % every === 0) void progress(done, undefined, `${done} entries`);
    },
  };
}

async function replaceWith(target: RootEntry, options: TreeOptions, put: () => Promise<void>): Promise<void> {
  const backup = { directory: target.directory, name: `.${nameInTrash(target.name)}.replaced` };
  const backupPath = target.directory.at(backup.name);
  await requireNames(target, options.signal);
  await renameEntry(target.path, backupPath);
  try {
    await put();
  } catch (error) {
    await renameEntry(backupPath, target.path);
    throw error;
  }
  await removeTree(backup, { ...options, signal: new AbortController().signal });
}

function rejectNested(source: RootEntry, target: RootEntry): void {
  const [from, to] = [path.join(source.directory.real, source.name), path.join(target.directory.real, target.name)];
  if (to === from) throw new ToolError("invalid_input", "to: expected another path than from");
  if (isInside(from, to)) throw new ToolError("invalid_input", "to: expected a path outside from");
  if (from.startsWith(`${to}/`)) throw new ToolError("invalid_input", "to: expected a path that does not contain from");
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Maximum length of the original name in bytes. File systems allow 255; time, id and a suffix need the rest. */
const maxNameBytes = 200;

/** Creates a unique name in the trash that sorts by time. */
export function nameInTrash(name: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return `${time}-${randomUUID().slice(0, 6)}-${cutName(name, maxNameBytes)}`;
}
