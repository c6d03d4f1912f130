export { sqlite, type SqliteOptions, type SqliteStore } from "./sqlite.ts";
