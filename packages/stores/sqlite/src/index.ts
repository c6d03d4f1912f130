export { inspectSqlite, isStoreFile, type SqliteInspection } from "./inspect-sqlite.ts";
export { sqliteSelfTest } from "./self-test.ts";
export { sqlite, type SqliteOptions, type SqliteStore } from "./sqlite.ts";
export { ownerProblems } from "./store-owner.ts";
