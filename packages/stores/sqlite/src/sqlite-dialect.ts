import type { Predicate } from "@toolpacks/core/store";
import type { SqlDialect } from "@toolpacks/store-sql";
import { DummyDriver, Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { lengthSql, scalarSql } from "./json-sql.ts";
import { conjunctsOf, querySource } from "./source.ts";
import { itemTable } from "./table-names.ts";

/** Compiles queries. It does not run them. */
const builder = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

const data = sql`r.data`;

export const sqliteDialect: SqlDialect = {
  compile: (query) => query.compile(builder),
  source: querySource,
  // The plus prevents SQLite from using an index of the workspace if an array item finds few records.
  workspace: (condition) => (startsFromFew(condition) ? sql`+r.workspace` : sql`r.workspace`),
  scalar: (field) => (field.type === "key" ? sql.ref(`r.${field.path}`) : scalarSql(data, field)),
  bound: (_field, value) => (typeof value === "boolean" ? Number(value) : value),
  contains: (kind, { path }, value) =>
    sql`r.seq IN (SELECT seq FROM ${sql.table(itemTable(kind.name))} WHERE field = ${path} AND value = ${value})`,
  length: (field) => lengthSql(data, field),
  ascending: sql`ASC`,
  descending: sql`DESC`,
};

/** Whether the query starts from few records: from an array item, or from the branches of an OR, each of which is searched separately. */
function startsFromFew(where: Predicate | undefined): boolean {
  const conjuncts = conjunctsOf(where);
  const isAlternatives = conjuncts.every(({ op }) => op === "or");
  return conjuncts.length > 0 && (isAlternatives || conjuncts.some(({ op }) => op === "contains"));
}
