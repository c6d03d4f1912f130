import { appendFileSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { hasCode, makePrivateFolder } from "@toolpacks/files";
import { newRecordId } from "@toolpacks/store";
import type { Entry } from "./entry.ts";

type Line = readonly [id: string, entry: Entry | null];

/**
 * The entries of running calls, as lines of a private file of this process: a commit of the store, or a new file, would take longer than most calls. A line
 * survives the end of the process at any time.
 */
export function createJournal(folder: string) {
  makePrivateFolder(folder);
  const own = path.join(folder, `${process.pid}-${newRecordId()}.jsonl`);
  const open = new Set<string>();
  let file: number | undefined;
  const append = (line: Line) => appendFileSync((file ??= openSync(own, "a", 0o600)), `${JSON.stringify(line)}\n`);
  return {
    add(id: string, entry: Entry): void {
      append([id, entry]);
      open.add(id);
    },
    /** The entry is in the store, or its call changed nothing. */
    settle(id: string, isStored: boolean): void {
      if (!open.delete(id) || file === undefined) return;
      if (open.size === 0) ftruncateSync(file);
      else if (!isStored) append([id, null]);
    },
    /** The files of processes that were killed, with their entries. */
    orphans: () =>
      readdirSync(folder).flatMap((name) => {
        if (isRunning(Number.parseInt(name, 10))) return [];
        const lines = linesOf(path.join(folder, name));
        const settled = new Set(lines.flatMap(([id, entry]) => (entry === null ? [id] : [])));
        const entries = lines.filter(([id, entry]) => entry !== null && !settled.has(id));
        return [{ entries, remove: () => rmSync(path.join(folder, name), { force: true }) }];
      }),
    end(): void {
      if (open.size === 0) rmSync(own, { force: true });
    },
  };
}

/** The lines of a file. The last one may have been written only in part. */
function linesOf(file: string): readonly Line[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => (line.endsWith("]") ? [JSON.parse(line) as Line] : []));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
