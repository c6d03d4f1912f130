export { includesLayout, indexName, isArrayField, kindObject, mergeLayouts, recordTable } from "./kind-layout.ts";
export { countSql, fromSql, matchingSql, pageSql, rowColumns } from "./query-sql.ts";
export type { QuerySource, Sql, SqlDialect } from "./sql-dialect.ts";
