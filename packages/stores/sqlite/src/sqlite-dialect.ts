import type { Predicate, QueryPlan } from "@toolpacks/core/store";
import type { SqlDialect } from "@toolpacks/store-sql";
import { DummyDriver, Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { lengthSql, scalarSql } from "./json-sql.ts";
import { matchExpression } from "./match-expression.ts";
import { itemTable, textTable } from "./table-names.ts";

/** Compiles queries, and runs none. */
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
  // A word or an item is in few records. SQLite, which keeps no statistics here, would rather walk a whole index in the order asked for, and
  // look each record up among them; the plus keeps it from the indexes.
  workspace: (condition) => (startsFromFew(condition) ? sql`+r.workspace` : sql`r.workspace`),
  scalar: (field) => (field.type === "key" ? sql.ref(`r.${field.path}`) : scalarSql(data, field)),
  bound: (_field, value) => (typeof value === "boolean" ? Number(value) : value),
  contains: (kind, { path }, value) =>
    sql`r.seq IN (SELECT seq FROM ${sql.table(itemTable(kind.name))} WHERE field = ${path} AND value = ${value})`,
  length: (field) => lengthSql(data, field),
  matches: (kind, { words, match }) =>
    sql`r.seq IN (SELECT rowid FROM ${sql.table(textTable(kind.name))} WHERE ${sql.table(textTable(kind.name))} MATCH ${matchExpression(words, match)})`,
  ascending: sql`ASC`,
  descending: sql`DESC`,
};

function startsFromFew({ text, where }: Pick<QueryPlan, "text" | "where">): boolean {
  return text !== undefined || (where !== undefined && (wantsItem(where) || isAlternatives(where)));
}

/** Each of them is looked for by itself, so nothing is gained by an index over all of them. */
function isAlternatives(predicate: Predicate): boolean {
  if (predicate.op === "and") return predicate.of.length > 0 && predicate.of.every(isAlternatives);
  return predicate.op === "or" && predicate.of.length > 0;
}

function wantsItem(predicate: Predicate): boolean {
  return predicate.op === "contains" || (predicate.op === "and" && predicate.of.some(wantsItem));
}
