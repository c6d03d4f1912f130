/** The records whose vectors are nearest to that of a query. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import {
  isPlainPlan,
  matchingSql,
  maxComparedMatches,
  maxComparedVectors,
  nearestOf,
  type NearRecord,
  type Sql,
} from "@toolpacks/store-sql";
import { sql } from "kysely";
import { parseStored, type Connection } from "./connection.ts";
import { sqliteDialect } from "./sqlite-dialect.ts";

/** A vector has 384 signs, which are 12 numbers of 32 bits. */
const numbersPerVector = 12;

/** Finds the nearest ones of the newest matches of a plan, whose words do not matter. Nearest first. */
export function findNear(connection: Connection, kind: KindLayout, plan: QueryPlan): readonly NearRecord[] {
  if (plan.near === undefined) return [];
  const [found] = connection.query(
    sqliteDialect.compile(sql`SELECT json_group_array(seq) AS ages, group_concat(signs, '') AS signs
      FROM (${isPlainPlan(plan) ? newestVectors(plan) : newestMatches(kind, plan)})`),
  );
  const ages = parseStored(found?.["ages"]) as readonly number[];
  const signs = numbersOf(Buffer.from(String(found?.["signs"] ?? ""), "base64"));
  const wanted = numbersOf(plan.near.signs);
  const compared = ages.map((age, at) => ({ age, distance: distance(signs, at * numbersPerVector, wanted) }));
  return nearestOf(compared);
}

function newestVectors({ near, workspaces }: QueryPlan): Sql {
  return sql`SELECT seq, signs FROM record_vector
    WHERE vector_set = ${near?.set} AND workspace = (SELECT number FROM workspace WHERE name = ${workspaces[0]}) AND closed = 0
    ORDER BY seq DESC LIMIT ${maxComparedVectors}`;
}

function newestMatches(kind: KindLayout, plan: QueryPlan): Sql {
  const source = sqliteDialect.source(kind, { ...plan, text: undefined });
  return sql`SELECT v.seq, v.signs FROM (
      SELECT r.seq, r.workspace, r.closed ${matchingSql(sqliteDialect, kind, source)} ORDER BY r.seq DESC LIMIT ${maxComparedMatches}
    ) AS m CROSS JOIN record_vector AS v
    WHERE v.vector_set = ${plan.near?.set} AND v.workspace = m.workspace AND v.closed = m.closed AND v.seq = m.seq`;
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  // A copy is aligned.
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}

/** The number of different bits. */
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
