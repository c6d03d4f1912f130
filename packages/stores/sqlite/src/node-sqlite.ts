import { ToolError } from "@toolpacks/core";

/**
 * `node:sqlite`, loaded without Node's warning that it is experimental. A warning would go to stderr, which MCP clients show as an error.
 *
 * @throws ToolError `unavailable` when this Node has no SQLite, or one without full-text search
 */
function loadSqlite() {
  const warner: { emitWarning: unknown } = process;
  const { emitWarning } = warner;
  // Loading is synchronous, so no warning of other code is dropped.
  warner.emitWarning = () => {};
  try {
    const sqlite = process.getBuiltinModule?.("node:sqlite");
    // FTS5, `timeout` and `isTransaction` came in the releases that brought `location`, which shows without opening a database.
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
