import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { quoteName, type RootEntry } from "@toolpacks/core/roots";

/** The encoding of a text file, which a rewrite keeps. */
export interface TextFormat {
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be";
  readonly bom: boolean;
}

/** The text of a file, without its byte order mark. Line ends are unchanged. */
export interface TextFile extends TextFormat {
  readonly text: string;
}

const marks = {
  "utf-8": Buffer.from([0xef, 0xbb, 0xbf]),
  "utf-16le": Buffer.from([0xff, 0xfe]),
  "utf-16be": Buffer.from([0xfe, 0xff]),
} as const;

const utf8: TextFormat = { encoding: "utf-8", bom: false };

/** Maximum size of a file to edit. An edit reads the whole file. */
export const maxEditedBytes = 16 * 1024 * 1024;

/** Detects a file's format from its first bytes. UTF-16 is detected by its byte order mark only. */
export function detectFormat(bytes: Buffer): TextFormat {
  for (const encoding of ["utf-8", "utf-16le", "utf-16be"] as const) {
    if (bytes.subarray(0, marks[encoding].length).equals(marks[encoding])) return { encoding, bom: true };
  }
  return utf8;
}

/**
 * Decodes a file's bytes. Undefined if they are not text: they contain NUL characters, or bytes that the encoding does not allow. Invalid bytes are
 * never replaced.
 */
export function decodeText(bytes: Buffer): TextFile | undefined {
  const format = detectFormat(bytes);
  const body = format.bom ? bytes.subarray(marks[format.encoding].length) : bytes;
  try {
    const text = new TextDecoder(format.encoding, { fatal: true, ignoreBOM: true }).decode(body);
    return text.includes("\0") ? undefined : { ...format, text };
  } catch {
    return undefined;
  }
}

/**
 * Encodes a text in a file's format.
 *
 * @throws ToolError `invalid_input` for half a surrogate pair, which cannot be encoded
 */
export function encodeText(text: string, { encoding, bom }: TextFormat): Buffer {
  if (!text.isWellFormed()) {
    throw new ToolError("invalid_input", "content: expected well-formed text, received half of a surrogate pair");
  }
  const body = encoding === "utf-8" ? Buffer.from(text, "utf8") : Buffer.from(text, "utf16le");
  const ordered = encoding === "utf-16be" ? body.swap16() : body;
  return bom ? Buffer.concat([marks[encoding], ordered]) : ordered;
}

/** Detects the MIME type of a binary file; undefined if it is unknown. */
export async function detectType(bytes: Buffer): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import("file-type");
  return (await fileTypeFromBuffer(bytes))?.mime;
}

/** Creates the error for a file that is not text. */
export async function notText(shown: string, bytes: Buffer): Promise<ToolError> {
  const type = await detectType(bytes);
  const what = type === undefined ? "binary, or text in an encoding other than UTF-8 and UTF-16" : `binary (${type})`;
  return new ToolError("invalid_input", `${quoteName(shown)}: expected a text file, this is ${what}`);
}

/** Opens a regular file for reading; undefined if it does not exist. The caller closes it. */
export async function openExisting(place: RootEntry): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(place.path, flags).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  throw new ToolError(
    "invalid_input",
    `${quoteName(place.shown)}: expected a file, this is a directory, device, pipe or socket`,
  );
}
