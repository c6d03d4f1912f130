export { countSql, fromSql, matchingSql, pageSql, rowColumns } from "./find-sql.ts";
export { includesLayout, isArrayField, mergeLayouts } from "./kind-layout.ts";
export { allOf } from "./predicate-sql.ts";
export type { QuerySource, Sql, SqlDialect } from "./sql-dialect.ts";
export { indexName, kindObject, recordTable } from "./table-names.ts";
