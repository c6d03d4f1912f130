import type { IndexedField, Scalar } from "@toolpacks/core";
import type { KindLayout, PlanField, Predicate, QueryPlan } from "@toolpacks/core/store";
import type { CompiledQuery, RawBuilder } from "kysely";

/** A piece of SQL with its bound values. */
export type Sql = RawBuilder<unknown>;

/** Where a query begins: a FROM clause in which records are `r`. */
export interface QuerySource {
  readonly from: Sql;
  /** What belongs to it. */
  readonly conditions: readonly Sql[];
  /** The age of its records, in the order in which they are come at where that is by age. */
  readonly age: Sql;
  /** What is then left to check: never the text. */
  readonly rest: Omit<QueryPlan, "text">;
}

/**
 * Where the databases' SQL differs. Both keep a kind's records in a table of its own, `kind_<kind>__record`, with the columns `seq` (age), `workspace`,
 * `id`, `generation`, `closed` and `data`; queries name it `r`.
 */
export interface SqlDialect {
  compile(query: Sql): CompiledQuery;
  /** How the records of a query are come at. */
  source(kind: KindLayout, plan: QueryPlan): QuerySource;
  /**
   * The column `workspace`, with which every index of fields begins.
   *
   * @param condition what else is asked of a record, by which the database may rather come at it
   */
  workspace(condition: Predicate | undefined): Sql;
  /** A scalar field, written exactly as its index is, or NULL where a record lacks it. */
  scalar(field: PlanField): Sql;
  /** How a value is bound for comparison with such a field. */
  bound(field: PlanField, value: Scalar): unknown;
  /** That an array field has an item. */
  contains(kind: KindLayout, field: IndexedField, value: string | number): Sql;
  /** How many items an array field has, written exactly as its index is, or NULL. */
  length(field: IndexedField): Sql;
  /** The order of NULLs that puts them below every value. */
  readonly ascending: Sql;
  readonly descending: Sql;
}
