/** The vectors beside records, and the records whose vectors are nearest to that of a query. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import { comparedVectorsSql, nearestOf, type NearRecord, type VectorDatabase } from "@toolpacks/store-sql";
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

/** Nearest first. None if the plan has no vector. */
export function findNear(connection: Connection, kind: KindLayout, plan: QueryPlan): readonly NearRecord[] {
  if (plan.near === undefined) return [];
  const compared = comparedVectorsSql(sqliteDialect, kind, plan);
  const [found] = connection.query(
    sqliteDialect.compile(
      sql`SELECT json_group_array(seq) AS ages, coalesce(group_concat(signs, ''), '') AS signs FROM (${compared}) AS compared`,
    ),
  );
  const ages = parseStored(found?.["ages"]) as readonly number[];
  const signs = numbersOf(Buffer.from(String(found?.["signs"]), "base64"));
  const wanted = numbersOf(plan.near.signs);
  return nearestOf(ages.map((age, at) => ({ age, distance: distance(signs, at * numbersPerVector, wanted) })));
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
