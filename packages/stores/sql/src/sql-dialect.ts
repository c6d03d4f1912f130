/** What a SQL driver must give to build the queries of `query-sql.ts`. */
import type { IndexedField, Scalar } from "@toolpacks/core";
import type { KindLayout, PlanField, Predicate, QueryPlan } from "@toolpacks/store";
import type { CompiledQuery, RawBuilder } from "kysely";

/** A piece of SQL with its bound values. */
export type Sql = RawBuilder<unknown>;

/** The source of a query: a FROM clause in which records are `r`. */
export interface QuerySource {
  readonly from: Sql;
  /** The conditions of the joins in it. */
  readonly conditions: readonly Sql[];
  /** The age of a record, as the column that the source reads first. */
  readonly age: Sql;
  /** The remaining conditions. They never include the text. */
  readonly rest: Omit<QueryPlan, "text">;
}

/**
 * The differences between the SQL of the databases. Both store the records of a kind in a table `kind_<kind>__record` with the columns `seq` (age),
 * `workspace`, `id`, `generation`, `closed` and `data`. Queries use the alias `r`.
 */
export interface SqlDialect {
  compile(query: Sql): CompiledQuery;
  /** The source of a query's records. */
  source(kind: KindLayout, plan: QueryPlan): QuerySource;
  /**
   * The column `workspace`, the first column of every index of fields.
   *
   * @param condition the other conditions, for which another index may be better
   */
  workspace(condition: Predicate | undefined): Sql;
  /** A scalar field, with the same expression as in its index. NULL if a record lacks it. */
  scalar(field: PlanField): Sql;
  /** Converts a value to a parameter for comparison with a field. */
  bound(field: PlanField, value: Scalar): unknown;
  /** The condition that an array field contains an item. */
  contains(kind: KindLayout, field: IndexedField, value: string | number): Sql;
  /** The number of items of an array field, with the same expression as in its index, or NULL. */
  length(field: IndexedField): Sql;
  /** The order of NULLs that puts them below every value. */
  readonly ascending: Sql;
  readonly descending: Sql;
}
