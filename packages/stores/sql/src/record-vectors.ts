import type { DriverReader, DriverTransaction, KindLayout, NewRow, Row } from "@toolpacks/store";
import { recordTable } from "./kind-layout.ts";

/** How a database runs statements on the tables of vectors. */
export interface VectorDialect {
  /** Runs a statement with `?` in place of its values. */
  run(text: string, ...values: readonly unknown[]): SqlRows | Promise<SqlRows>;
  /** The signs of a vector, as they are stored. */
  signsText(signs: Uint8Array): string;
  /** A row of an age and signs. */
  readonly vectorRow: string;
}

type SqlRows = readonly Readonly<Record<string, unknown>>[];

/** A record that was written. */
interface WrittenRow extends Pick<NewRow, "vectors"> {
  readonly workspace: number;
  readonly seq: number;
  readonly closed: number;
  /** `closed` before. Undefined for a new record. */
  readonly closedBefore: number | undefined;
}

/** Maximum number of sets of a kind: of two versions of the table of words, and of a model. */
const maxSets = 3;
/** Number of records among which those without a vector are looked for. */
const lookedAtOnce = 2_000;

/**
 * The vectors beside records: `vector_set` has the sets of vectors, and `record_vector` the signs of a record's vector in a set, with the workspace,
 * `closed` and age of the record.
 */
export function recordVectors({ run, signsText, vectorRow }: VectorDialect) {
  const vectorSets: DriverReader["vectorSets"] = async ({ name: kind }) => {
    const newest = `(SELECT max(seq) FROM ${recordTable(kind)})`;
    const found = await run(`SELECT number, name, missing, ${newest} AS newest FROM vector_set WHERE kind = ?`, kind);
    return found.map(({ number, name, missing, newest }) => ({
      number: Number(number),
      name: String(name),
      missing: missing === null ? undefined : Number(missing),
      newest: Number(newest),
    }));
  };
  const addVectorSets: DriverTransaction["addVectorSets"] = async ({ name: kind }, names) => {
    const missing = `CASE WHEN EXISTS (SELECT 1 FROM ${recordTable(kind)}) THEN 0 END`;
    for (const name of names)
      await run(
        `INSERT INTO vector_set (kind, name, missing) VALUES (?, ?, ${missing}) ON CONFLICT DO NOTHING`,
        kind,
        name,
      );
    const own = names.map(() => "?").join(", ");
    await run(
      `DELETE FROM vector_set WHERE kind = ? AND number NOT IN (
         SELECT number FROM vector_set WHERE kind = ? ORDER BY name IN (${own}) DESC, number DESC LIMIT ${maxSets})`,
      kind,
      kind,
      ...names,
    );
    await run("DELETE FROM record_vector WHERE vector_set NOT IN (SELECT number FROM vector_set)");
  };
  const rowsWithoutVector: DriverReader["rowsWithoutVector"] = async ({ name }, { set, from, limit }) => {
    const table = recordTable(name);
    const [end] = await run(
      `SELECT seq FROM ${table} WHERE seq >= ? ORDER BY seq LIMIT 1 OFFSET ${lookedAtOnce}`,
      from,
    );
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
  const addVectors: DriverTransaction["addVectors"] = async ({ name }, { number, missing }, vectors) => {
    if (vectors.length > 0) {
      const values = vectors.map(() => vectorRow).join(", ");
      await run(
        `INSERT INTO record_vector (vector_set, workspace, closed, seq, signs)
         SELECT ${number}, r.workspace, r.closed, r.seq, made.column2
         FROM (VALUES ${values}) AS made JOIN ${recordTable(name)} AS r ON r.seq = made.column1`,
        ...vectors.flatMap(({ age, signs }) => [age, signsText(signs)]),
      );
    }
    await run("UPDATE vector_set SET missing = ? WHERE number = ?", missing ?? null, number);
  };
  /** The sets of a kind in which a record will be written. */
  const writtenSets = async (kind: KindLayout, names: readonly string[] = []) => {
    const sets = await run("SELECT number, name FROM vector_set WHERE kind = ?", kind.name);
    if (names.every((name) => sets.some((set) => set["name"] === name))) return sets;
    await addVectorSets(kind, names);
    return run("SELECT number, name FROM vector_set WHERE kind = ?", kind.name);
  };
  /** Replaces the vectors of a record. */
  const writeVectors = async (sets: SqlRows, { workspace, seq, closed, closedBefore, vectors }: WrittenRow) => {
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
        const columns = "vector_set, workspace, seq, closed, signs";
        const values = [number, workspace, seq, closed, signsText(vector)];
        await run(`INSERT INTO record_vector (${columns}) VALUES (?, ?, ?, ?, ?)`, ...values);
      }
    }
  };
  return { vectorSets, rowsWithoutVector, addVectorSets, addVectors, writtenSets, writeVectors };
}
