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
import { makePrivateFolder } from "@toolpacks/core/private-files";
import { applyEdits, modify } from "jsonc-parser";
import { readRegularFile } from "@toolpacks/core/bounded-io";
import { parseJsonc } from "../config/parse-jsonc.ts";

export interface Edit {
  readonly at: readonly string[];
  /** Undefined takes it out. */
  readonly value: unknown;
}

const maxBytes = 64 * 1_048_576;

/** A file's text; nothing where there is none. @throws Error for what is not a regular file */
export function readText(file: string): string {
  return existsSync(file)
    ? readRegularFile(file, maxBytes)
        .toString("utf8")
        .replace(/^\uFEFF/, "")
    : "";
}

/** What stands at a place of a file; undefined where nothing does. @throws ConfigurationError for a text that is no JSON */
export function valueAt(file: string, at: readonly string[]): unknown {
  const text = readText(file);
  const whole = text.trim() === "" ? {} : parseJsonc(file, text);
  return at.reduce(
    (value: unknown, key) =>
      value !== null && typeof value === "object" ? (value as Record<string, unknown>)[key] : undefined,
    whole,
  );
}

/** Changes places in a JSON text and leaves the rest, comments too, as it is. */
export function edited(text: string, edits: readonly Edit[]): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const formattingOptions = { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length };
  return edits.reduce(
    (before, { at, value }) => applyEdits(before, modify(before, [...at], value, { formattingOptions })),
    text.trim() === "" ? "{}\n" : text,
  );
}

/** Replaces a file as a whole, also behind a link to it, with the permissions that it has; a new one is its owner's alone. */
export function replaceFile(file: string, text: string): void {
  makePrivateFolder(path.dirname(file));
  const place = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(place) ? statSync(place).mode & 0o777 : 0o600;
  const fresh = `${place}.${randomUUID()}`;
  writeFileSync(fresh, text, { mode });
  renameSync(fresh, place);
}

const uuid = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes what `replaceFile` had written beside a file before its process was killed. */
export function removeUnfinished(file: string): void {
  const place = existsSync(file) ? realpathSync(file) : file;
  const folder = path.dirname(place);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const isUnfinished = name.startsWith(path.basename(place)) && uuid.test(name.slice(path.basename(place).length));
    if (isUnfinished) rmSync(path.join(folder, name), { force: true });
  }
}

export function hashOf(file: string): string {
  return hashOfText(readFileSync(file));
}

export function hashOfText(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}
