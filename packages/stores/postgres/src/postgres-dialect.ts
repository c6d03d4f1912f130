import { fromSql, type SqlDialect } from "@toolpacks/store-sql";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import { arraySql, lengthSql, scalarSql } from "./json-sql.ts";
import { textQuery } from "./text-vector.ts";

/** Compiles queries. It does not run them. */
const builder = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const data = sql`r.data`;

export const postgresDialect: SqlDialect = {
  compile: (query) => query.compile(builder),
  source: (kind, { text, ...rest }) => ({
    from: fromSql(kind),
    conditions: text === undefined ? [] : [sql`r.words @@ ${textQuery(text.words, text.match)}::tsquery`],
    age: sql`r.seq`,
    rest,
  }),
  workspace: () => sql`r.workspace`,
  scalar: (field) => (field.type === "key" ? sql.ref(`r.${field.path}`) : scalarSql(data, field)),
  bound: (_field, value) => value,
  contains: (_kind, field, value) => sql`${arraySql(data, field)} @> ${JSON.stringify([value])}::jsonb`,
  length: (field) => lengthSql(data, field),
  ascending: sql`ASC NULLS FIRST`,
  descending: sql`DESC NULLS LAST`,
};
