/** The vectors beside records, and the records whose vectors are nearest to that of a query. */
import type { KindLayout, QueryPlan } from "@toolpacks/store";
import { comparedVectorsSql, maxNear, nearestOf, type NearRecord, type VectorDatabase } from "@toolpacks/store-sql";
import { sql } from "kysely";
import type { Connection } from "./database.ts";
import { postgresDialect, signsText } from "./postgres-dialect.ts";

export function vectorDatabase(connection: Connection): VectorDatabase {
  return {
    run(text, ...values) {
      let at = 0;
      const numbered = text.replaceAll("?", () => `$${(at += 1)}`);
      return connection.query(numbered, values);
    },
    signsText,
    vectorRow: "(?::bigint, ?::bit(384))",
  };
}

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
      sql`SELECT seq AS age, bit_count(signs # ${signsText(plan.near.signs)}::bit(384)) AS distance
        FROM (${compared}) AS compared ORDER BY distance, age DESC LIMIT ${maxNear}`,
    ),
  );
  return nearestOf(
    found.map(({ age }) => Number(age)),
    found.map(({ distance }) => Number(distance)),
    plan.near.minSimilarity,
  );
}
