import { createHash } from "node:crypto";
import { isObject } from "@toolpacks/core";
import type { SyncField, TrackerMapping } from "./tracker-mapping.ts";

/** A value of a field as the tracker has it: a text, or the sorted labels. */
export type FieldValue = string | readonly string[];

export type FieldValues = Readonly<Partial<Record<SyncField, FieldValue>>>;

/** A value in one form for comparison: labels sorted and once each, texts without the line ends that web forms add. */
function canonicalValue(field: SyncField, value: unknown): FieldValue {
  if (field === "labels") return [...new Set(Array.isArray(value) ? value.map(labelText) : [])].toSorted();
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll("\r\n", "\n").trimEnd();
}

/** Some trackers list labels as objects with a name. */
function labelText(label: unknown): string {
  if (isObject(label) && typeof label["name"] === "string") return label["name"];
  return typeof label === "string" ? label : JSON.stringify(label);
}

/** Identifies a value: equal values have equal digests. */
export function valueDigest(value: FieldValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 22);
}

/** The tracker's value of a value here. Undefined: the mapping has none for it. */
export function toTracker({ values }: TrackerMapping, field: SyncField, here: FieldValue): FieldValue | undefined {
  const table = values[field];
  if (table === undefined || here === "") return here;
  const one = (value: string) => (Object.hasOwn(table, value) ? table[value] : undefined);
  if (typeof here === "string") return one(here);
  // Labels without an entry keep their names.
  return here.map((label) => one(label) ?? label).toSorted();
}

/** The value here of a tracker's value: of several, the first in the mapping. Undefined: the mapping has none for it. */
export function fromTracker({ values }: TrackerMapping, field: SyncField, there: FieldValue): FieldValue | undefined {
  const table = values[field];
  if (table === undefined || there === "") return there;
  const one = (value: string) => Object.entries(table).find(([, its]) => its === value)?.[0];
  if (typeof there === "string") return one(there);
  return there.map((label) => one(label) ?? label).toSorted();
}

/** The fields of an issue that are synchronized. */
export interface ReadFields {
  /** The fields whose values the mapping knows, with the tracker's values. */
  readonly values: FieldValues;
  /** The other fields, with their values. */
  readonly unmapped: readonly (readonly [field: SyncField, value: string])[];
}

/** Reads fields of an issue. @param toValue the tracker's value of a value; undefined if the mapping has none */
export function readFields(
  fields: readonly SyncField[],
  issue: Readonly<Partial<Record<SyncField, unknown>>>,
  toValue: (field: SyncField, value: FieldValue) => FieldValue | undefined,
): ReadFields {
  const values: Partial<Record<SyncField, FieldValue>> = {};
  const unmapped: [SyncField, string][] = [];
  for (const field of fields) {
    const value = canonicalValue(field, issue[field]);
    const known = toValue(field, value);
    if (known === undefined) unmapped.push([field, String(value)]);
    else values[field] = known;
  }
  return { values, unmapped };
}
