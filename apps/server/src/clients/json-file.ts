import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { makePrivateFolder } from "@toolpacks/core/private-files";
import { applyEdits, modify } from "jsonc-parser";
import { readRegularFile } from "@toolpacks/core/bounded-io";
import { parseJsonc } from "../config/parse-jsonc.ts";

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

/** Reads the value at a key path of a JSON file; undefined when there is none. @throws ConfigurationError for invalid JSON */
export function valueAt(file: string, at: readonly string[]): unknown {
  const text = readText(file);
  const root = text.trim() === "" ? {} : parseJsonc(file, text);
  return at.reduce((value: unknown, key) => (isObject(value) ? value[key] : undefined), root);
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
export function replaceFile(file: string, text: string): void {
  makePrivateFolder(path.dirname(file));
  const target = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
  const unfinished = `${target}.${randomUUID()}`;
  writeFileSync(unfinished, text, { mode });
  renameSync(unfinished, target);
}

const uuid = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the unfinished files that `replaceFile` left beside a file when its process was killed. */
export function removeUnfinished(file: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const folder = path.dirname(target);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const isUnfinished = name.startsWith(path.basename(target)) && uuid.test(name.slice(path.basename(target).length));
    if (isUnfinished) rmSync(path.join(folder, name), { force: true });
  }
}

export function hashOf(file: string): string {
  return hashOfText(readFileSync(file));
}

export function hashOfText(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
