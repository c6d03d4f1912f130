import { ToolError, quoteName } from "@toolpacks/core";
import { type EntryContent, readEntry, type RootEntry } from "@toolpacks/files";

/** A canvas file as it was read. */
export interface CanvasFile extends EntryContent {
  readonly text: string;
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
  const file = await readEntry(place, maxBytes);
  return file && { ...file, text: decode(file.bytes, place) };
}

/** Reads an existing canvas. */
export async function requireCanvas(place: RootEntry): Promise<CanvasFile> {
  const file = await readCanvas(place);
  if (file !== undefined) return file;
  const message = `${quoteName(place.shown)}: there is no such file`;
  throw new ToolError("not_found", message, "canvas_read without a path lists the canvases.");
}

function decode(bytes: Buffer, { shown }: RootEntry): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolError("invalid_input", `${quoteName(shown)}: expected UTF-8 text`);
  }
}
