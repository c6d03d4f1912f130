import { readFile } from "node:fs/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import { openExisting, type RootEntry, writeAtomically } from "@toolpacks/files";

/** A canvas file as it was read. */
export interface CanvasFile {
  readonly text: string;
  readonly mode: number;
  /** A value that changes with every write or replacement of the file. */
  readonly version: string;
}

const maxBytes = 8 * 1024 * 1024;

/**
 * Reads a canvas; undefined if there is none.
 *
 * @throws ToolError `invalid_input` for another name than `*.canvas` or bytes that are not UTF-8, `too_large` over 8 MiB
 */
export async function readCanvas(place: RootEntry): Promise<CanvasFile | undefined> {
  if (place.isRoot || !place.name.toLowerCase().endsWith(".canvas"))
    throw new ToolError("invalid_input", `${quoteName(place.shown)}: expected a name that ends with .canvas`);
  const file = await openExisting(place);
  if (file === undefined) return undefined;
  try {
    const { size, mode, ino, mtimeNs } = await file.stat({ bigint: true });
    if (size > maxBytes)
      throw new ToolError("too_large", `${quoteName(place.shown)}: ${size} bytes; a canvas has at most ${maxBytes}`);
    return {
      text: decode(await readFile(file), place),
      mode: Number(mode & 0o7777n),
      version: `${ino}:${size}:${mtimeNs}`,
    };
  } finally {
    await file.close();
  }
}

/** Reads an existing canvas. */
export async function requireCanvas(place: RootEntry): Promise<CanvasFile> {
  const file = await readCanvas(place);
  if (file !== undefined) return file;
  const message = `${quoteName(place.shown)}: there is no such file`;
  throw new ToolError("not_found", message, "canvas_read without a path lists the canvases.");
}

/**
 * Writes a canvas atomically. An existing file keeps its mode.
 *
 * @throws ToolError `conflict` if the file was changed since it was read, or was created meanwhile
 */
export async function writeCanvas(
  place: RootEntry,
  text: string,
  { existing, signal }: { readonly existing: CanvasFile | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const confirm = async () => {
    const now = await readCanvas(place);
    if (now?.version === existing?.version) return;
    throw new ToolError(
      "conflict",
      `${quoteName(place.shown)}: it was changed meanwhile`,
      "Nothing was written. Read it again.",
    );
  };
  const { directory, name } = place;
  await writeAtomically({ directory, name }, text, {
    overwrite: existing !== undefined,
    signal,
    confirm,
    mode: existing?.mode,
  });
}

function decode(bytes: Buffer, { shown }: RootEntry): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolError("invalid_input", `${quoteName(shown)}: expected UTF-8 text`);
  }
}
