import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import envPaths from "env-paths";
import { z } from "zod";
import { hashOf, replaceFile } from "./edited-file.ts";

const recordSchema = z.object({
  files: z.array(
    z.object({
      file: z.string(),
      /** What it was; undefined for a file that was made. */
      backup: z.string().optional(),
      /** What was made of it. */
      hash: z.string(),
    }),
  ),
});

/** What an import changed, newest last, so that it can be taken back. */
export type ImportRecord = z.output<typeof recordSchema>;

const place = () => path.join(envPaths("toolpacks", { suffix: "" }).data, "import-clients.json");

export function readRecord(): ImportRecord {
  return existsSync(place()) ? recordSchema.parse(JSON.parse(readFileSync(place(), "utf8"))) : { files: [] };
}

/** Writes down each change before the next is made, so that one that fails halfway can be taken back too. */
export function recordChange(file: string, backup: string | undefined): void {
  const { files } = readRecord();
  const change = { file, hash: hashOf(file), ...(backup !== undefined && { backup }) };
  replaceFile(place(), `${JSON.stringify({ files: [...files, change] }, undefined, 2)}\n`);
}

/** Puts every file back, newest first. One that somebody has changed since is left alone, and named with its backup. */
export function undoAll(tell: (line: string) => void): boolean {
  const left: ImportRecord["files"] = [];
  // A file of several changes is as it was made by the last of them.
  for (const change of readRecord().files.reverse()) {
    const { file, backup, hash } = change;
    if (existsSync(file) && hashOf(file) !== hash) {
      left.unshift(change);
      tell(`${file} was changed since and is left as it is${backup === undefined ? "" : `; what it was: ${backup}`}`);
    } else if (backup === undefined) {
      rmSync(file, { force: true });
      tell(`${file} is gone`);
    } else {
      replaceFile(file, readFileSync(backup, "utf8"));
      rmSync(backup);
      tell(`${file} is what it was`);
    }
  }
  if (left.length === 0) rmSync(place(), { force: true });
  else replaceFile(place(), `${JSON.stringify({ files: left }, undefined, 2)}\n`);
  return left.length === 0;
}
