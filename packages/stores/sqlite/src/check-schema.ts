/** The check that a file has the schema of a store and nothing else, so that no SQL of another program runs. */
import { indexName } from "@toolpacks/store-sql";
import { openConnection, withSnapshot, type Connection } from "./connection.ts";
import { createIndexSql, createTableSql, readLayouts } from "./kind-tables.ts";
import { damagedError } from "./sqlite-error.ts";

type Migration = (connection: Connection) => void;

/** The statements of a schema, each with the name of its table or index. Whitespace is collapsed. */
type Statements = ReadonlyMap<string, string>;

/**
 * Compares the schema with the schema that this program creates. Any other statement is rejected, because it could run SQL of its author in one of
 * our statements: not only a view or a trigger, but also a generated column, a constraint, a default value or an index of an expression.
 *
 * @param applied the migrations up to the version of the file
 * @returns the names of missing tables and indexes
 * @throws ToolError `unavailable`
 */
export function checkSchema(connection: Connection, applied: readonly Migration[]): readonly string[] {
  return withSnapshot(connection, () => {
    const found = readStatements(connection);
    if (found.size === 0) return [];
    const { tables, kindTables } = ownStatements(applied);
    // The table of kinds must be the store's before it is read.
    const [missing] = absent(tables, found);
    if (missing !== undefined) throw damagedError(new Error(`the table or index ${missing} is missing or changed`));
    const expected = new Map(tables);
    for (const { name: kind, indexes } of tables.size === 0 ? [] : readLayouts(connection)) {
      for (const [statement, name] of kindStatements(kindTables, kind)) expected.set(statement, name);
      for (const index of indexes) expected.set(collapse(createIndexSql(kind, index)), indexName(kind, index));
    }
    const foreign = [...found].find(([statement]) => !expected.has(statement) && !statistics.has(statement));
    if (foreign === undefined) return absent(expected, found);
    throw damagedError(new Error(`its schema holds ${JSON.stringify(foreign[1])}, which is not the store's`));
  });
}

function absent(expected: Statements, found: Statements): readonly string[] {
  return [...expected].flatMap(([statement, name]) => (found.has(statement) ? [] : [name]));
}

/** The tables of SQLite's own statistics. */
const statistics: ReadonlySet<string> = new Set([
  "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
  "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
]);

function readStatements(connection: Connection): Statements {
  const rows = connection.all("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL");
  return new Map(rows.map(({ name, sql }) => [collapse(String(sql)), String(name)]));
}

function collapse(statement: string): string {
  return statement.trim().replaceAll(/\s+/g, " ");
}

const exampleKind = "example";

interface OwnStatements {
  readonly tables: Statements;
  /** The tables of the example kind. */
  readonly kindTables: Statements;
}

const known = new Map<number, OwnStatements>();

/** The statements of a schema, read from a database in memory with the same tables. */
function ownStatements(applied: readonly Migration[]): OwnStatements {
  const own = known.get(applied.length) ?? createStatements(applied);
  known.set(applied.length, own);
  return own;
}

function createStatements(applied: readonly Migration[]): OwnStatements {
  const connection = openConnection(":memory:");
  try {
    for (const migrate of applied) migrate(connection);
    const tables = readStatements(connection);
    connection.exec(createTableSql(exampleKind));
    const kindTables = new Map([...readStatements(connection)].filter(([statement]) => !tables.has(statement)));
    return { tables, kindTables };
  } finally {
    connection.close();
  }
}

/** The statements of a kind's tables. */
function kindStatements(example: Statements, kind: string): Statements {
  const rename = (text: string) => text.replaceAll(`kind_${exampleKind}__`, () => `kind_${kind}__`);
  return new Map([...example].map(([statement, name]) => [rename(statement), rename(name)]));
}
