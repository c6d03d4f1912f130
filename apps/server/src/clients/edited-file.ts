import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { applyEdits, modify } from "jsonc-parser";

export interface Edit {
  readonly at: readonly string[];
  /** Undefined takes it out. */
  readonly value: unknown;
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
  mkdirSync(path.dirname(file), { recursive: true });
  const place = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(place) ? statSync(place).mode & 0o777 : 0o600;
  const fresh = `${place}.${randomUUID()}`;
  writeFileSync(fresh, text, { mode });
  renameSync(fresh, place);
}

export function hashOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
