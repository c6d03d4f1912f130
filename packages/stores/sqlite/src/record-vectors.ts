/** The vectors beside records, and the records whose vectors are nearest to that of a query. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import {
  comparedVectorsSql,
  isOfWholeWorkspace,
  nearestOf,
  type NearRecord,
  type VectorDatabase,
} from "@toolpacks/store-sql";
import { sql } from "kysely";
import { parseStored, type Connection } from "./connection.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

/** Signs are stored in base64, without padding: SQLite joins texts faster than it returns rows. */
export function vectorDatabase(connection: Connection): VectorDatabase {
  return {
    run: (text, ...values) => connection.all(text, ...values),
    signsText: (signs) => Buffer.from(signs).toString("base64"),
    vectorRow: "(?, ?)",
  };
}

/** The 384 signs of a vector are 12 numbers of 32 bits. */
const numbersPerVector = 12;

/** Marks that a kind's vectors have changed: by a random number of 52 bits, because a count would be the same again after an undone change. */
export function markVectorChange(connection: Connection, { name }: Pick<KindLayout, "name">): void {
  connection.run("UPDATE vector_set SET changes = random() >> 12 WHERE kind = ?", name);
}

/** Nearest first. None if the plan has no vector. */
export function findNear(connection: Connection, kind: KindLayout, plan: QueryPlan): readonly NearRecord[] {
  if (plan.near === undefined) return [];
  const { ages, signs } = isOfWholeWorkspace(plan)
    ? unchangedVectors(connection, kind, plan)
    : readVectors(connection, kind, plan);
  const wanted = numbersOf(plan.near.signs);
  // An indexed loop: `from` with a function takes three times as long.
  const distances = new Uint16Array(ages.length);
  for (let at = 0; at < ages.length; at += 1) distances[at] = distance(signs, at * numbersPerVector, wanted);
  return nearestOf(ages, distances, plan.near.minSimilarity);
}

interface ComparedVectors {
  readonly ages: readonly number[];
  readonly signs: Uint32Array;
}

function readVectors(connection: Connection, kind: KindLayout, plan: QueryPlan): ComparedVectors {
  const compared = comparedVectorsSql(sqliteDialect, kind, plan);
  const [found] = connection.query(
    sqliteDialect.compile(
      sql`SELECT json_group_array(seq) AS ages, coalesce(group_concat(signs, ''), '') AS signs FROM (${compared}) AS compared`,
    ),
  );
  const ages = parseStored(found?.["ages"]) as readonly number[];
  return { ages, signs: numbersOf(Buffer.from(String(found?.["signs"]), "base64")) };
}

/** Maximum number of workspaces and sets whose vectors a connection keeps: about 3 MB for each that has 50,000. */
const maxKept = 4;
const kept = new WeakMap<Connection, Map<string, ComparedVectors & { readonly changes: unknown }>>();

/** The vectors of a workspace, which are read again only if those of its kind have changed. */
function unchangedVectors(connection: Connection, kind: KindLayout, plan: QueryPlan): ComparedVectors {
  const changes = connection.one("SELECT changes FROM vector_set WHERE number = ?", plan.near?.set)?.["changes"];
  const known = kept.get(connection) ?? new Map<string, ComparedVectors & { readonly changes: unknown }>();
  const key = `${plan.near?.set} ${plan.workspaces[0]}`;
  const before = known.get(key);
  if (before?.changes === changes && before !== undefined) return before;
  const vectors = { ...readVectors(connection, kind, plan), changes };
  known.delete(key);
  if (known.size >= maxKept) known.delete(known.keys().next().value ?? "");
  kept.set(connection, known.set(key, vectors));
  return vectors;
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  // A copy is aligned.
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** The number of different signs. */
function distance(signs: Uint32Array, from: number, wanted: Uint32Array): number {
  let different = 0;
  for (let at = 0; at < numbersPerVector; at += 1) {
    let bits = (signs[from + at] ?? 0) ^ (wanted[at] ?? 0);
    bits = (bits - ((bits >>> 1) & 0x55_55_55_55)) | 0;
    bits = (bits & 0x33_33_33_33) + ((bits >>> 2) & 0x33_33_33_33);
    different += Math.imul((bits + (bits >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
  }
  return different;
}
