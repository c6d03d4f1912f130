export { inspectSqlite, isStoreFile, sqliteSelfTest, type SqliteInspection } from "./inspect-sqlite.ts";
export { sqlite, type SqliteOptions, type SqliteStore } from "./sqlite.ts";
export { ownerProblems } from "./store-owner.ts";
