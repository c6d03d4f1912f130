/** The records whose vectors are nearest to that of a query. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import { comparedVectorsSql, maxNear, nearestOf, type NearRecord } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection } from "./database.ts";
import { postgresDialect } from "./postgres-dialect.ts";

/** Nearest first. None if the plan has no vector. */
export async function findNear(
  connection: Connection,
  kind: KindLayout,
  plan: QueryPlan,
): Promise<readonly NearRecord[]> {
  if (plan.near === undefined) return [];
  const compared = comparedVectorsSql(postgresDialect, kind, plan);
  const found = await connection.run(
    postgresDialect.compile(
      sql`SELECT seq AS age, bit_count(signs # ${postgresDialect.signs(plan.near.signs)}) AS distance
        FROM (${compared}) AS compared ORDER BY distance, age DESC LIMIT ${maxNear}`,
    ),
  );
  return nearestOf(found.map(({ age, distance }) => ({ age: Number(age), distance: Number(distance) })));
}
