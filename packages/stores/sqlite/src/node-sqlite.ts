import { ToolError } from "@toolpacks/core";

/**
 * Loads `node:sqlite` without Node's experimental warning, because MCP clients show stderr as an error.
 *
 * @throws ToolError `unavailable` when this Node has no SQLite, or one without full-text search
 */
function loadSqlite() {
  const warner: { emitWarning: unknown } = process;
  const { emitWarning } = warner;
  // Loading is synchronous, so no other warning is lost.
  warner.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    // The releases with `location` also have FTS5, `timeout` and `isTransaction`. This check needs no open database.
    if (sqlite !== undefined && "location" in sqlite.DatabaseSync.prototype) return sqlite;
  } finally {
    warner.emitWarning = emitWarning;
  }
  throw new ToolError(
    "unavailable",
    `the store: the SQLite of Node.js ${process.versions.node} is missing or has no full-text search`,
    "Use Node.js 24 or newer, or 22.16 or newer of line 22, without --no-experimental-sqlite.",
  );
}

export const { DatabaseSync, backup } = loadSqlite();
