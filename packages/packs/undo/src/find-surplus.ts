import { filesIn } from "./images.ts";
import type { LogOptions, UndoLog } from "./undo-log.ts";

const dayMs = 86_400_000;

/** The records of the store whose entries are all beyond the limits. An entry stays with the others of its unit. */
export async function findSurplus({ newestFirst, images }: UndoLog, { maxBytes, days }: LogOptions) {
  const since = new Date(Date.now() - days * dayMs).toISOString();
  const [units, needed, keptRows, rows] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
  let [bytes, entries] = [0, 0];
  let until: string | undefined;
  for await (const entry of newestFirst()) {
    const hashes = (entry.files ?? []).flatMap(({ before }) =>
      [...filesIn(before)].flatMap(([, { hash }]) => hash ?? []),
    );
    const added = [...new Set(hashes)].filter((hash) => !needed.has(hash));
    bytes += JSON.stringify(entry).length + added.reduce((sum, hash) => sum + images.size(hash), 0);
    const isOver = until !== undefined || bytes > maxBytes || entry.at < since;
    if (isOver && !units.has(entry.unit) && !keptRows.has(entry.row)) {
      until ??= entry.at;
      entries += 1;
      rows.add(entry.row);
    } else {
      units.add(entry.unit);
      keptRows.add(entry.row);
      for (const hash of hashes) needed.add(hash);
    }
  }
  return { rows: [...rows].filter((row) => !keptRows.has(row)), entries, until, needed };
}
