import { valueDigest, type FieldValue, type FieldValues } from "./field-values.ts";
import type { Link } from "./link-kind.ts";
import { syncFields, type SyncField } from "./tracker-mapping.ts";

/** Which side a conflict is decided for. Undefined: it is only listed. */
export type Side = "here" | "there";

export interface FieldConflict {
  readonly field: SyncField;
  readonly here: FieldValue;
  readonly there: FieldValue;
}

/** What is to do for the fields of an issue that is on both sides. */
export interface Comparison {
  /** Fields that changed only there, with their values there. */
  readonly writeHere: FieldValues;
  /** Fields that changed only here, with their values as the tracker has them. */
  readonly writeThere: FieldValues;
  /** Fields that both sides changed to different values, or that differ and have no known common state. */
  readonly conflicts: readonly FieldConflict[];
  /** Fields that are equal, and are not known as such. */
  readonly agreed: FieldValues;
}

interface Compared {
  readonly here: FieldValues;
  readonly there: FieldValues;
  /** The last common state. Absent digests: none is known. */
  readonly base: Pick<Link, "here" | "there">;
  readonly resolve: Side | undefined;
}

/** Compares each field of both sides with the state of the last synchronization. A field that one side does not know is left out. */
export function compareFields({ here, there, base, resolve }: Compared): Comparison {
  const writeHere: Partial<Record<SyncField, FieldValue>> = {};
  const writeThere: Partial<Record<SyncField, FieldValue>> = {};
  const agreed: Partial<Record<SyncField, FieldValue>> = {};
  const conflicts: FieldConflict[] = [];
  for (const field of syncFields) {
    const [mine, theirs] = [here[field], there[field]];
    if (mine === undefined || theirs === undefined) continue;
    const [myDigest, theirDigest] = [valueDigest(mine), valueDigest(theirs)];
    const isChangedHere = base.here[field] !== myDigest;
    const isChangedThere = base.there[field] !== theirDigest;
    if (!isChangedHere && !isChangedThere) continue;
    const hasBase = base.here[field] !== undefined && base.there[field] !== undefined;
    if (myDigest === theirDigest) agreed[field] = mine;
    else if (hasBase && !isChangedThere) writeThere[field] = mine;
    else if (hasBase && !isChangedHere) writeHere[field] = theirs;
    else if (resolve === "here") writeThere[field] = mine;
    else if (resolve === "there") writeHere[field] = theirs;
    else conflicts.push({ field, here: mine, there: theirs });
  }
  return { writeHere, writeThere, conflicts, agreed };
}
