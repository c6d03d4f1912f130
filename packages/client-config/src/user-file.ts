import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { readRegularFile, makePrivateFolder, isTemporaryName, writeAtomicallySync } from "@toolpacks/files";

const maxBytes = 64 * 1_048_576;

/** Reads a file's text without its byte order mark; an empty text when the file does not exist. @throws Error when it is not a regular file, or too large */
export function readText(file: string, limit = maxBytes): string {
  return existsSync(file) ? textOf(readRegularFile(file, limit)) : "";
}

const byteOrderMark = "\uFEFF";

/** The text of a file's content, without a byte order mark. */
export function textOf(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}

/** A new text for a file, with a byte order mark if its content has one. */
export function withMarkOf(content: Uint8Array | undefined, text: string): string {
  const hasMark = content !== undefined && content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf;
  return hasMark ? `${byteOrderMark}${text}` : text;
}

/** Replaces a file atomically and keeps its permissions. A link stays a link: its target is replaced. A new file is private. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  makePrivateFolder(path.dirname(file));
  const target = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
  writeAtomicallySync(target, content, { mode });
}

/** Removes the temporary files that were left beside a file when the process that wrote it was killed. */
export function removeTemporaryFiles(file: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const folder = path.dirname(target);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (isTemporaryName(name, path.basename(target))) rmSync(path.join(folder, name), { force: true });
  }
}

/** Reads a file as it is. @throws Error when it is not a regular file, or too large */
export function readBytes(file: string): Buffer {
  return readRegularFile(file, maxBytes);
}

/** The hash of a file's content; undefined when it does not exist. */
export function hashOfFile(file: string): string | undefined {
  return existsSync(file) ? hashOf(readBytes(file)) : undefined;
}

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
