import { appendFileSync, closeSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { hasCode, makePrivateFolder } from "@toolpacks/files";
import { newRecordId } from "@toolpacks/store";
import type { Entry } from "./entry.ts";

/**
 * The entries of running calls, as lines of a private file of this process. A commit of the store, or a new file for each call, would take longer than most
 * calls: an appended line costs next to nothing, and survives the end of the process at any time.
 */
export interface Journal {
  /** Adds an entry, before its call. */
  add(id: string, entry: Entry): void;
  /** The entry is in the store, or its call changed nothing. */
  settle(id: string, isStored: boolean): void;
  /** The entries of processes that were killed, by their files. */
  orphans(): readonly { readonly entries: readonly (readonly [id: string, entry: Entry])[]; remove(): void }[];
  end(): void;
}

type Line = readonly [id: string, entry: Entry | null];

export function createJournal(folder: string): Journal {
  makePrivateFolder(folder);
  const own = path.join(folder, `${process.pid}-${newRecordId()}.jsonl`);
  const open = new Set<string>();
  let file: number | undefined;
  const append = (line: Line) => appendFileSync((file ??= openSync(own, "a", 0o600)), `${JSON.stringify(line)}\n`);
  return {
    add(id, entry) {
      open.add(id);
      append([id, entry]);
    },
    settle(id, isStored) {
      if (!open.delete(id) || file === undefined) return;
      if (open.size === 0) ftruncateSync(file);
      else if (!isStored) append([id, null]);
    },
    orphans: () =>
      readdirSync(folder).flatMap((name) => {
        const orphan = path.join(folder, name);
        if (isRunning(Number.parseInt(name, 10))) return [];
        const entries = new Map<string, Entry>();
        for (const [id, entry] of linesOf(orphan))
          if (entry === null) entries.delete(id);
          else entries.set(id, entry);
        return { entries: [...entries], remove: () => rmSync(orphan, { force: true }) };
      }),
    end() {
      if (file === undefined) return;
      closeSync(file);
      file = undefined;
      if (open.size === 0) rmSync(own, { force: true });
    },
  };
}

/** The whole lines of a file. A process that was killed may have left a part of one. */
function linesOf(file: string): readonly Line[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
