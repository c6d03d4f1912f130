import { createHash } from "node:crypto";
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { readRegularFile } from "@toolpacks/core/bounded-io";
import { makePrivateFolder } from "@toolpacks/core/private-files";
import { isTemporaryName, writeAtomicallySync } from "@toolpacks/core/write-atomically";
import { applyEdits, modify } from "jsonc-parser";

/** A change of one value in a JSON file. */
export interface Edit {
  /** Key path of the value. */
  readonly at: readonly string[];
  /** The new value. Undefined removes the key. */
  readonly value: unknown;
}

const maxBytes = 64 * 1_048_576;

/** Reads a file's text; an empty text when the file does not exist. @throws Error when it is not a regular file, or too large */
export function readText(file: string, limit = maxBytes): string {
  return existsSync(file)
    ? readRegularFile(file, limit)
        .toString("utf8")
        .replace(/^\uFEFF/, "")
    : "";
}

/** Applies edits to a JSON text. Everything else in it, comments too, stays unchanged. */
export function applyJsonEdits(text: string, edits: readonly Edit[]): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length };
  return edits.reduce(
    (before, { at, value }) => applyEdits(before, modify(before, [...at], value, { formattingOptions })),
    text.trim() === "" ? "{}\n" : text,
  );
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

export function hashOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
