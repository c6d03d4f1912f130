import type { FileHandle } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { openExisting } from "./open-existing.ts";
import type { RootEntry } from "./roots.ts";
import { writeAtomically } from "./write-atomically.ts";

/** A file as it was read, for a write that must not replace another change. */
export interface EntryContent {
  readonly bytes: Buffer;
  readonly mode: number;
  /** A value that changes with every write or replacement of the file. */
  readonly version: string;
}

/**
 * Reads a file; undefined if it does not exist.
 *
 * @throws ToolError `too_large` for a file of more than `maxBytes`
 */
export async function readEntry(place: RootEntry, maxBytes: number): Promise<EntryContent | undefined> {
  const file = await openExisting(place);
  if (file === undefined) return undefined;
  try {
    const { size, mode } = await file.stat();
    if (size > maxBytes)
      throw new ToolError(
        "too_large",
        `${quoteName(place.shown)}: expected at most ${maxBytes} bytes, received ${size}`,
      );
    const version = await versionOf(file);
    return { bytes: await file.readFile(), mode: mode & 0o7777, version };
  } finally {
    await file.close();
  }
}

interface WriteEntryOptions {
  /** The file as it was read. Undefined: the file must not exist. */
  readonly existing: EntryContent | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Writes a file atomically. An existing file keeps its mode.
 *
 * @throws Error for an entry that was not opened with `{ access: "write" }` or `"replace"`
 * @throws ToolError `conflict` if the file was changed since it was read, or was created meanwhile
 */
export async function writeEntry(
  place: RootEntry,
  content: string | Uint8Array,
  { existing, signal }: WriteEntryOptions,
): Promise<void> {
  if (place.access === "read") throw new Error('writeEntry: expected an entry opened with { access: "write" }');
  const confirm = async () => {
    const file = await openExisting(place);
    const version = file && (await versionOf(file).finally(() => file.close()));
    if (version === existing?.version) return;
    const problem = `${quoteName(place.shown)}: it was changed meanwhile`;
    throw new ToolError("conflict", problem, "Nothing was written. Read it again.");
  };
  const overwrite = existing !== undefined;
  await writeAtomically(place, content, { mode: existing?.mode, overwrite, signal, confirm });
}

async function versionOf(file: FileHandle): Promise<string> {
  const { ino, size, mtimeNs } = await file.stat({ bigint: true });
  return `${ino}:${size}:${mtimeNs}`;
}
