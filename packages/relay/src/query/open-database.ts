import { constants, DatabaseSync, type DatabaseSyncOptions } from "node:sqlite";
import { RE2JS } from "re2js";
import type { Table } from "./table.ts";

const pageBytes = 4_096;
const maxTableBytes = 384 * 1024 * 1024;
const maxTextBytes = 64 * 1024 * 1024;

/** Settings of newer Node. Older Node ignores them: the memory of the process has its own limit. */
const options: DatabaseSyncOptions & { limits: object; defensive: boolean } = {
  allowExtension: false,
  enableForeignKeyConstraints: false,
  defensive: true,
  limits: { length: maxTextBytes, attach: 0, likePatternLength: 1_000 },
};

/** Creates a database in memory with the table `t`. After that it only reads. */
export function openDatabase({ columns, rows }: Table): DatabaseSync {
  const database = new DatabaseSync(":memory:", options);
  // Sorting uses memory, and not files.
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA temp_store = MEMORY; PRAGMA page_size = ${pageBytes}`);
  database.exec(`PRAGMA max_page_count = ${maxTableBytes / pageBytes}; PRAGMA trusted_schema = OFF`);
  database.exec(`CREATE TABLE t (${columns.map(quoted).join(", ")})`);
  const insert = database.prepare(`INSERT INTO t VALUES (${columns.map(() => "?").join(", ")})`);
  database.exec("BEGIN");
  for (const row of rows) insert.run(...row);
  database.exec("COMMIT; PRAGMA query_only = ON");
  addRegexp(database);
  authorizeReading(database);
  return database;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `text REGEXP 'pattern'`, in RE2 syntax, which takes linear time. */
function addRegexp(database: DatabaseSync): void {
  const compiled = new Map<string, RE2JS>();
  database.function("regexp", { deterministic: true }, (source, text) => {
    if (text === null || source === null) return null;
    const pattern = compiled.get(String(source)) ?? RE2JS.compile(String(source));
    if (compiled.size < 100) compiled.set(String(source), pattern);
    return pattern.test(String(text)) ? 1 : 0;
  });
}

/** A second barrier where Node has it. Without it, only statements that begin as a reading one are prepared. */
function authorizeReading(database: DatabaseSync): void {
  const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants as {
    readonly [name: string]: number | undefined;
  };
  if (typeof (database as Partial<DatabaseSync>).setAuthorizer !== "function") return;
  const allowed = new Set([SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE]);
  database.setAuthorizer((action) => (allowed.has(action) ? SQLITE_OK : SQLITE_DENY) ?? 1);
}
