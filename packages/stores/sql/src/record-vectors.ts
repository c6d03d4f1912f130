/**
 * The vectors beside records: `vector_set` has the sets of vectors, and `record_vector` the signs of a record's vector in a set, with the workspace,
 * `closed` and age of the record.
 */
import type { DriverTransaction, KindLayout, NewRow, Row } from "@toolpacks/store";
import { recordTable } from "./kind-layout.ts";

type SqlRows = readonly Readonly<Record<string, unknown>>[];

/** A connection to one of the databases. */
export interface VectorDatabase {
  /** Runs a statement with `?` in place of its values. */
  readonly run: (text: string, ...values: readonly unknown[]) => SqlRows | Promise<SqlRows>;
  /** The signs of a vector, as they are stored. */
  readonly signsText: (signs: Uint8Array) => string;
  /** An age and signs as a row of VALUES. */
  readonly vectorRow: string;
}

/** Maximum number of sets of a kind: of two versions of the table of words, and of a model. */
const maxSets = 3;
/** Number of records among which those without a vector are looked for. */
const lookedAtOnce = 2_000;

type VectorFunctions = Pick<DriverTransaction, "vectorSets" | "rowsWithoutVector" | "addVectorSets" | "addVectors">;

/** The functions of a driver for sets of vectors. */
export function vectorFunctions({ run, signsText, vectorRow }: VectorDatabase): VectorFunctions {
  const vectorSets: VectorFunctions["vectorSets"] = async ({ name: kind }) => {
    const newest = `(SELECT max(seq) FROM ${recordTable(kind)})`;
    const found = await run(`SELECT number, name, missing, ${newest} AS newest FROM vector_set WHERE kind = ?`, kind);
    return found.map(({ number, name, missing, newest }) => ({
      number: Number(number),
      name: String(name),
      missing: missing === null ? undefined : Number(missing),
      newest: Number(newest),
    }));
  };
  const rowsWithoutVector: VectorFunctions["rowsWithoutVector"] = async ({ name }, { set, from, limit }) => {
    const table = recordTable(name);
    const ages = `SELECT seq FROM ${table} WHERE seq >= ? ORDER BY seq LIMIT 1 OFFSET ${lookedAtOnce}`;
    const [end] = await run(ages, from);
    const next = end === undefined ? undefined : Number(end["seq"]);
    const found = await run(
      `SELECT r.seq, r.generation, r.data FROM ${table} AS r WHERE r.seq >= ? AND r.seq < ? AND NOT EXISTS (
         SELECT 1 FROM record_vector AS v
         WHERE v.vector_set = ? AND v.workspace = r.workspace AND v.closed = r.closed AND v.seq = r.seq)
       ORDER BY r.seq LIMIT ?`,
      from,
      next ?? Number.MAX_SAFE_INTEGER,
      set,
      limit,
    );
    const rows = found.map(({ seq, generation, data }) => ({
      age: Number(seq),
      generation: Number(generation),
      data: (typeof data === "string" ? JSON.parse(data) : data) as Row["data"],
    }));
    const last = rows[limit - 1];
    return { rows, next: last === undefined ? next : last.age + 1 };
  };
  const addVectors: VectorFunctions["addVectors"] = async ({ name }, { number, missing }, vectors) => {
    const values = vectors.map(() => vectorRow).join(", ");
    if (vectors.length > 0)
      await run(
        `INSERT INTO record_vector (vector_set, workspace, closed, seq, signs)
         SELECT ${number}, r.workspace, r.closed, r.seq, made.column2
         FROM (VALUES ${values}) AS made JOIN ${recordTable(name)} AS r ON r.seq = made.column1`,
        ...vectors.flatMap(({ age, signs }) => [age, signsText(signs)]),
      );
    await run("UPDATE vector_set SET missing = ? WHERE number = ?", missing ?? null, number);
  };
  const addVectorSets: VectorFunctions["addVectorSets"] = (kind, names) => addSets(run, kind, names);
  return { vectorSets, rowsWithoutVector, addVectorSets, addVectors };
}

async function addSets(
  run: VectorDatabase["run"],
  { name: kind }: KindLayout,
  names: readonly string[],
): Promise<void> {
  const missing = `CASE WHEN EXISTS (SELECT 1 FROM ${recordTable(kind)}) THEN 0 END`;
  const add = `INSERT INTO vector_set (kind, name, missing) VALUES (?, ?, ${missing}) ON CONFLICT DO NOTHING`;
  for (const name of names) await run(add, kind, name);
  const own = names.map(() => "?").join(", ");
  const kept = `SELECT number FROM vector_set WHERE kind = ? ORDER BY name IN (${own}) DESC, number DESC LIMIT ${maxSets}`;
  await run(`DELETE FROM vector_set WHERE kind = ? AND number NOT IN (${kept})`, kind, kind, ...names);
  await run("DELETE FROM record_vector WHERE vector_set NOT IN (SELECT number FROM vector_set)");
}

/** The sets of a kind in which a record will be written. Adds those of the names. */
export async function writtenSets(
  { run }: Pick<VectorDatabase, "run">,
  kind: KindLayout,
  names: readonly string[] = [],
): Promise<SqlRows> {
  const sets = await run("SELECT number, name FROM vector_set WHERE kind = ?", kind.name);
  if (names.every((name) => sets.some((set) => set["name"] === name))) return sets;
  await addSets(run, kind, names);
  return writtenSets({ run }, kind);
}

/** A record that was written. */
interface WrittenRow extends Pick<NewRow, "vectors"> {
  readonly workspace: number;
  readonly seq: number;
  readonly closed: number;
  /** `closed` before. Undefined for a new record. */
  readonly closedBefore: number | undefined;
}

/** Replaces the vectors of a record. */
export async function writeVectors(
  { run, signsText }: VectorDatabase,
  sets: SqlRows,
  { workspace, seq, closed, closedBefore, vectors }: WrittenRow,
): Promise<void> {
  const where = "WHERE vector_set = ? AND workspace = ? AND seq = ? AND closed = ?";
  for (const { number, name } of sets) {
    const vector = vectors?.of(String(name)) ?? "missing";
    const before = [number, workspace, seq, closedBefore];
    if (vector === "kept" && closed !== closedBefore)
      await run(`UPDATE record_vector SET closed = ? ${where}`, closed, ...before);
    if (vector === "kept") continue;
    if (closedBefore !== undefined) await run(`DELETE FROM record_vector ${where}`, ...before);
    if (vector === "missing") {
      const missing = "CASE WHEN missing < ? THEN missing ELSE ? END";
      await run(`UPDATE vector_set SET missing = ${missing} WHERE number = ?`, seq, seq, number);
    } else if (vector !== "none") {
      const values = [number, workspace, seq, closed, signsText(vector)];
      await run(
        "INSERT INTO record_vector (vector_set, workspace, seq, closed, signs) VALUES (?, ?, ?, ?, ?)",
        ...values,
      );
    }
  }
}
