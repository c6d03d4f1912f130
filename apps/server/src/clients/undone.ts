import { existsSync } from "node:fs";
import type { Change, ValueChange } from "./change-record.ts";

/** What the undo of a change did to its file. */
export interface Undone {
  /** Whether the file has its earlier bytes, or is gone as before. Then the other fields are not reported. */
  readonly isExact?: boolean;
  /** Entries that are in the file again. */
  readonly putBack?: readonly string[];
  /** Entries that were in the file again already. */
  readonly found?: readonly string[];
  /** Entries that stay, because they have another content now. */
  readonly kept?: readonly string[];
  /** Entries of ours that are removed. */
  readonly removed?: readonly string[];
  /** Entries of ours that were changed and stay. The change stays recorded. */
  readonly left?: readonly string[];
  /** Why the whole file stays as it is. */
  readonly keptBecause?: string;
}

/** The names of entries, and of values inside an entry that was there before. */
export function valueNames(values: readonly ValueChange[]): readonly string[] {
  return values.map(({ at, before, after }) =>
    at.slice(before !== undefined && after !== undefined ? -2 : -1).join("."),
  );
}

/** Describes what was done to a file. */
export function describeUndone(undone: readonly Undone[], changes: readonly Change[]): string {
  const keptBecause = undone.findLast((one) => one.keptBecause !== undefined)?.keptBecause;
  if (keptBecause !== undefined) return `kept: ${keptBecause}`;
  if (undone.every(({ isExact }) => isExact)) return changes.at(-1)?.backup === undefined ? "removed" : "restored";
  const all = (key: "putBack" | "found" | "kept" | "removed" | "left") =>
    [...new Set(undone.flatMap((one) => one[key] ?? []))].join(", ");
  const backups = changes.flatMap(({ backup, config }) =>
    config !== undefined && backup && existsSync(backup) ? [backup] : [],
  );
  return [
    all("putBack") && `${all("putBack")} put back`,
    all("found") && `${all("found")} found there already`,
    all("kept") &&
      `${all("kept")} kept, because its entry is another one now${backups.map((one) => ` (the moved one is in ${one})`).join("")}`,
    all("removed") && `${all("removed")} removed`,
    all("left") && `${all("left")} not removed, because it was changed: remove it by hand`,
    "later changes of the file are kept",
  ]
    .filter(Boolean)
    .join("; ");
}
