import type { KindLayout, PlanField, Predicate } from "@toolpacks/core/store";
import { sql } from "kysely";
import { isArrayField } from "./kind-layout.ts";
import type { Sql, SqlDialect } from "./sql-dialect.ts";

const comparisons = { eq: sql`=`, gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

/** The query that a filter belongs to. */
export interface Subject {
  readonly dialect: SqlDialect;
  readonly kind: KindLayout;
  /** The condition on the first columns of every index. Each branch of an OR repeats it, so that the branch can use an index. */
  readonly scope: (condition: Predicate | undefined) => Sql;
}

/**
 * Converts a validated filter to SQL. A condition on a missing field is NULL, which AND and OR treat as false. For NOT, COALESCE makes it false.
 */
export function predicateSql(subject: Subject, predicate: Predicate): Sql {
  const { dialect, kind, scope } = subject;
  const inner = (one: Predicate) => predicateSql(subject, one);
  switch (predicate.op) {
    case "and":
      return allOf(predicate.of.map(inner));
    case "or":
      if (predicate.of.length === 0) return sql`(1 = 0)`;
      return sql`(${sql.join(
        predicate.of.map((one) => allOf([scope(one), inner(one)])),
        sql` OR `,
      )})`;
    case "not":
      return predicate.of.op === "exists"
        ? absent(dialect, predicate.of.field)
        : sql`NOT COALESCE(${inner(predicate.of)}, 1 = 0)`;
    case "in": {
      const { field, values } = predicate;
      if (values.length === 0) return sql`(1 = 0)`;
      return sql`${dialect.scalar(field)} IN (${sql.join(values.map((value) => dialect.bound(field, value)))})`;
    }
    case "contains":
      return dialect.contains(kind, predicate.field, predicate.value);
    case "exists":
      return present(dialect, predicate.field);
    default: {
      const { op, field, value } = predicate;
      return sql`${dialect.scalar(field)} ${comparisons[op]} ${dialect.bound(field, value)}`;
    }
  }
}

export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`(1 = 1)` : sql`(${sql.join([...conditions], sql` AND `)})`;
}

function present(dialect: SqlDialect, field: PlanField): Sql {
  if (field.type !== "key" && isArrayField(field)) return sql`${dialect.length(field)} > 0`;
  return sql`${dialect.scalar(field)} IS NOT NULL`;
}

function absent(dialect: SqlDialect, field: PlanField): Sql {
  if (field.type !== "key" && isArrayField(field)) return sql`NOT COALESCE(${present(dialect, field)}, 1 = 0)`;
  return sql`${dialect.scalar(field)} IS NULL`;
}
