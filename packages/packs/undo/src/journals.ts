import { appendFileSync, closeSync, ftruncateSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { errorText, type Store } from "@toolpacks/core";
import { hasCode } from "@toolpacks/files";
import { newRecordId, type RecordVersion } from "@toolpacks/store";
import { anyKind, entryKind, type Entry } from "./entry.ts";
import { changesBetween, leavesOf, readLeaf } from "./leaf.ts";

/** The journals of this process. An earlier one may have had the same id, such as in a container. */
const ownJournals = new Set<string>();

/** An entry before its change, and again when its call has ended. */
export interface JournalLine {
  readonly id: string;
  readonly entry: Entry;
  readonly hasEnded?: boolean;
}

/** A journal of this process. It is empty when no entry is on its way to the store. */
export function openJournal(folder: string) {
  const name = `${process.pid}-${newRecordId()}.jsonl`;
  ownJournals.add(name);
  const open = new Set<string>();
  let file: number | undefined;
  return {
    /** @throws Error if it cannot be written */
    append(line: JournalLine): void {
      file ??= openSync(path.join(folder, name), "a", 0o600);
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      open.add(line.id);
    },
    /** The entry is in the store, or its call changed nothing. */
    settle(id: string): void {
      open.delete(id);
      if (open.size === 0 && file !== undefined) ftruncateSync(file);
    },
    end(): void {
      if (file !== undefined) closeSync(file);
      file = undefined;
      if (open.size === 0) rmSync(path.join(folder, name), { force: true });
    },
  };
}

interface Stores {
  readonly store: Store;
  readonly internal: Store;
}

/** Stores the entries of processes that were killed, with what their calls have left. */
export async function adoptOrphans(folder: string, { store, internal }: Stores): Promise<void> {
  for (const name of readdirSync(folder).filter(isOrphan)) {
    const file = path.join(folder, name);
    const lines = readFileSync(file, "utf8").split("\n").flatMap(wholeLine);
    // A killed call ended after all others of its process.
    const last = Math.max(0, ...lines.map(({ entry }) => Date.parse(entry.at)));
    const at = new Date(last + 1).toISOString();
    for (const line of new Map(lines.map((one) => [one.id, one])).values()) {
      const isKept = (await internal.get(entryKind, line.id)) !== undefined;
      const left = isKept ? undefined : await asLeft(line, store);
      if (left !== undefined) await internal.put(entryKind, { ...left, ...(left.isKilled && { at }) }, { id: line.id });
    }
    rmSync(file, { force: true });
  }
}

function isOrphan(name: string): boolean {
  const pid = Number.parseInt(name, 10);
  try {
    return !ownJournals.has(name) && (pid === process.pid || !process.kill(pid, 0));
  } catch (error) {
    return hasCode(error, "ESRCH");
  }
}

/** The entry of a line. A killed process may have written a part of its last one. */
function wholeLine(line: string): readonly JournalLine[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** The entry of a line with what its call has done. Undefined: nothing. */
async function asLeft({ entry, hasEnded }: JournalLine, store: Store): Promise<Entry | undefined> {
  const { files = [], records = [], undoes } = entry;
  if (hasEnded === true) return records.length === 0 || (await areCommitted(records, store)) ? entry : undefined;
  try {
    const before = new Map(files.flatMap((one) => (one.before === null ? [] : [[one.path, one.before] as const])));
    const paths = files.map((one) => one.path);
    const changed =
      undoes === undefined
        ? changesBetween(paths, before, leavesOf(paths))
        : files.map((one) => ({ ...one, after: readLeaf(one.path) }));
    return changed.length === 0 ? undefined : { ...entry, files: changed, isKilled: true };
  } catch (error) {
    return { ...entry, files: undefined, problem: errorText(error) };
  }
}

/** Whether a transaction was committed. Its versions are kept just before. */
async function areCommitted(versions: readonly RecordVersion[], store: Store): Promise<boolean> {
  for (const { workspace, kind, id, generation } of versions) {
    const now = await store.in(workspace).get(anyKind(kind), id);
    if (now === undefined ? generation === 0 : generation > 0 && now.generation >= generation) return true;
  }
  return false;
}
