import type { Predicate, QueryPlan } from "@toolpacks/core/store";
import type { SqlDialect } from "@toolpacks/store-sql";
import { DummyDriver, Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import { jsonPath } from "./json-path.ts";
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

export const sqliteDialect: SqlDialect = {
  compile: (query) => query.compile(builder),
  // A word or an item is in few records. SQLite, which keeps no statistics here, would rather walk a whole index in the order asked for, and
  // look each record up among them; the plus keeps it from the indexes.
  workspace: (plan) => (startsFromFew(plan) ? sql`+r.workspace` : sql`r.workspace`),
  scalar({ path, type }) {
    if (type === "key") return sql.ref(`r.${path}`);
    return sql`json_extract(r.data, ${sql.lit(jsonPath(path))})`;
  },
  bound: (_field, value) => (typeof value === "boolean" ? Number(value) : value),
  contains: (kind, { path }, value) =>
    sql`r.seq IN (SELECT seq FROM ${sql.table(itemTable(kind.name))} WHERE field = ${path} AND value = ${value})`,
  length: ({ path }) => sql`json_array_length(r.data, ${sql.lit(jsonPath(path))})`,
  matches: (kind, { words, match }) =>
    sql`r.seq IN (SELECT rowid FROM ${sql.table(textTable(kind.name))} WHERE ${sql.table(textTable(kind.name))} MATCH ${matchExpression(words, match)})`,
  ascending: sql`ASC`,
  descending: sql`DESC`,
};

function startsFromFew({ text, where }: QueryPlan): boolean {
  return text !== undefined || (where !== undefined && wantsItem(where));
}

function wantsItem(predicate: Predicate): boolean {
  return predicate.op === "contains" || (predicate.op === "and" && predicate.of.some(wantsItem));
}
