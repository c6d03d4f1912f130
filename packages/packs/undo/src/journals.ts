import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { errorText, type Store } from "@toolpacks/core";
import { hasCode } from "@toolpacks/files";
import { newRecordId, type RecordVersion } from "@toolpacks/store";
import { anyKind, entryKind, type Entry } from "./entry.ts";
import { changesBetween, leavesOf, readLeaf } from "./leaf.ts";

/** The journals of this process. An earlier one may have had the same id, such as in a container. */
const ownJournals = new Set<string>();

/** The path of a journal. Each line is an entry before its change. */
export function newJournal(folder: string): string {
  const name = `${process.pid}-${newRecordId()}.jsonl`;
  ownJournals.add(name);
  return path.join(folder, name);
}

interface Stores {
  readonly store: Store;
  readonly internal: Store;
}

/** Stores the entries of processes that were killed, with what their calls have left. */
export async function adoptOrphans(folder: string, { store, internal }: Stores): Promise<void> {
  for (const name of readdirSync(folder).filter(isOrphan)) {
    const file = path.join(folder, name);
    for (const { id, entry } of readFileSync(file, "utf8").split("\n").flatMap(wholeLine)) {
      const left = (await internal.get(entryKind, id)) === undefined && (await asLeft(entry, store));
      if (left) await internal.put(entryKind, left, { id });
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
function wholeLine(line: string): readonly { readonly id: string; readonly entry: Entry & Record<string, unknown> }[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

/** The entry of a killed call with what it has done. Undefined: nothing. */
async function asLeft<Kept extends Entry>(entry: Kept, store: Store): Promise<Kept | undefined> {
  const { files, records = [], undoes } = entry;
  if (files === undefined) return records.length === 0 || (await areCommitted(records, store)) ? entry : undefined;
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
