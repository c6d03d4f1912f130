export { candidateWords, commonShare, isExhaustive, maxRanked, rarity } from "./candidate-words.ts";
export type { TextStatistics, WordCount } from "./candidate-words.ts";
export {
  everyRow,
  includesLayout,
  indexName,
  isArrayField,
  kindObject,
  mergeLayouts,
  recordTable,
} from "./kind-layout.ts";
export { countSql, fromSql, matchingSql, pageSql, positionOf, rowColumns } from "./query-sql.ts";
export { comparedVectorsSql, isOfWholeWorkspace, maxNear, nearestOf, nearRarity } from "./near-record.ts";
export type { NearRecord } from "./near-record.ts";
export { decodeShown, encodeShown, isBeyondRanked, shownUpTo } from "./shown-position.ts";
export type { ShownPosition } from "./shown-position.ts";
export type { QuerySource, Sql, SqlDialect } from "./sql-dialect.ts";
export { type VectorDatabase, vectorFunctions, writeVectors, writtenSets } from "./record-vectors.ts";
