/** Records that are found by their vectors: how many, and how similar they are. */
import type { QueryPlan } from "@toolpacks/store";

/** Maximum number of the newest vectors that a query is compared with. */
export const maxComparedVectors = 50_000;
/** The same for a query with further conditions, or of several workspaces. */
export const maxComparedMatches = 5_000;
/** Maximum number of records that are found by their vectors. */
export const maxNear = 100;
/** The lowest similarity of a record that is found by its vector. */
const minSimilarity = 0.2;

const dimensions = 384;

/** A record that is near to a query. */
export interface NearRecord {
  readonly age: number;
  /** An estimate of the cosine of the two vectors, from `minSimilarity` to 1. */
  readonly similarity: number;
}

/** The highest number of different signs of a record that is near. */
export const maxDistance = Math.floor((Math.acos(minSimilarity) * dimensions) / Math.PI);

/** The cosine of two vectors by the number of their different signs: the share of these is the angle between the vectors. */
export function similarityOf(distance: number): number {
  return Math.cos((Math.PI * distance) / dimensions);
}

/** The records that are near, nearest first, of equal ones the newest first. */
export function nearestOf(
  records: readonly { readonly age: number; readonly distance: number }[],
): readonly NearRecord[] {
  return records
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || b.age - a.age)
    .slice(0, maxNear)
    .map(({ age, distance }) => ({ age, similarity: similarityOf(distance) }));
}

/** Whether a query has no other condition than its text, so that every open record of its workspace may be near. */
export function isPlainPlan({ workspaces, where, includeClosed, sinceGeneration }: QueryPlan): boolean {
  return workspaces.length === 1 && where === undefined && !includeClosed && sinceGeneration === undefined;
}
