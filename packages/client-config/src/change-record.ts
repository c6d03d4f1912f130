import { existsSync, readFileSync, rmSync } from "node:fs";
import { ConfigurationError } from "@toolpacks/core";
import { z } from "zod";
import { removeTemporaryFiles, replaceFile } from "./user-file.ts";

const changeSchema = z.object({
  /** The command that made the change, such as `toolpacks init`. */
  by: z.string(),
  file: z.string(),
  format: z.enum(["json", "toml", "yaml"]),
  /** Path of the backup; undefined when the command created the file. */
  backup: z.string().optional(),
  /** Hash of the content before the change; undefined when the command created the file. */
  hashBefore: z.string().optional(),
  /** Hash of the content after the change. */
  hash: z.string(),
  /** Our config file, which the changed file refers to, or which it is. */
  config: z.string().optional(),
  /** The values that the change set; undefined where there was or is none. */
  values: z.array(z.object({ at: z.array(z.string()), before: z.unknown().optional(), after: z.unknown().optional() })),
});

const recordSchema = z.object({ changes: z.array(changeSchema) });

/** A change of a file, recorded for the undo. */
export type Change = z.output<typeof changeSchema>;

/** Reads the changes that are not undone yet, newest last. @throws ConfigurationError when the record is invalid */
export function readRecord(file: string): readonly Change[] {
  if (!existsSync(file)) return [];
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, "utf8"))).changes;
  } catch {
    throw new ConfigurationError(
      `${file} is not a valid record of changes; the backup of each file is beside it, .before-toolpacks`,
    );
  }
}

export function writeRecord(file: string, changes: readonly Change[]): void {
  removeTemporaryFiles(file);
  if (changes.length === 0) rmSync(file, { force: true });
  else replaceFile(file, `${JSON.stringify({ changes }, undefined, 2)}\n`);
}
