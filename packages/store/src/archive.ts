import { z } from "zod";
import { describeIssues, ToolError, type Kind, type RecordData, type ArchiveLine } from "@toolpacks/core";
import { checkName, localWorkspace } from "./check-options.ts";
import { damagedRecord, storedProblem } from "./damaged-record.ts";
import { compileKind, type CompiledKind } from "./kind-layout.ts";
import { maxIdLength } from "./record-id.ts";
import { checkRecord, isTooDeep, storableRecord } from "./record-data.ts";
import type { DriverTransaction, KindLayout, StoreDriver } from "./driver.ts";
import { fieldPathSchema, indexSchema, kindNameSchema, nameSchema } from "./stored-layout.ts";

/** Up to this generation, an import keeps the distances between the generations of an archive. More than any store reaches by its own writes. */
const maxImportedGeneration = 2 ** 40;

/** Maximum generation in an archive. A store that an import brought to the largest generation has room for as many writes. */
const maxGeneration = 2 * maxImportedGeneration;

/** Maximum number of indexes, and of text fields, of a kind that no mounted pack declares. Each one costs every later write of the kind. */
const maxLayoutSize = 64;

const lineSchema = z.union([
  z.object({
    kind: kindNameSchema,
    indexes: z.array(indexSchema).max(maxLayoutSize),
    text: z.array(fieldPathSchema).max(maxLayoutSize),
  }),
  z.object({
    kind: kindNameSchema,
    workspace: nameSchema(100),
    id: nameSchema(maxIdLength),
    generation: z.int().min(0).max(maxGeneration),
    closed: z.boolean(),
    data: z.record(z.string(), z.unknown()),
  }),
  z.object({ records: z.int().min(0) }),
]);

/** The problem of a record that cannot be converted to JSON again. */
const tooDeep = "it is nested too deep";

/** The complete content of a store as lines of an archive. */
export async function* exportLines(driver: StoreDriver): AsyncGenerator<ArchiveLine> {
  let records = 0;
  for await (const part of driver.scan()) {
    const { name: kind, indexes, text } = part.kind;
    if ("row" in part) {
      const { workspace, id, generation, closed, data } = part.row;
      if (workspace === localWorkspace) continue;
      if (isTooDeep(data)) throw damagedRecord(kind, id, tooDeep);
      records += 1;
      yield { kind, workspace, id, generation, closed, data };
    } else {
      yield { kind, indexes, text };
    }
  }
  yield { records };
}

/** Maximum number of kinds that no mounted pack declares. Each kind needs tables and indexes, even without records. */
const maxUndeclaredKinds = 200;

/** The kinds that are known before an import. */
export interface KnownKinds {
  /** Kinds of mounted packs. Their records must match the schemas, and an archive adds no index to them. */
  readonly declared: readonly Kind[];
  /** The layouts of the kinds in the store. */
  readonly stored: readonly KindLayout[];
}

type Lines = AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>;

/**
 * Imports an archive in one transaction. The lines can be read only once, so the import fails if the database needs to repeat the transaction.
 */
export async function importOnce(
  transact: <T>(work: (transaction: DriverTransaction) => Promise<T>) => Promise<T>,
  lines: Lines,
  known: KnownKinds,
): Promise<{ records: number }> {
  let hasBegun = false;
  return transact((transaction) => {
    if (hasBegun) {
      throw new ToolError(
        "unavailable",
        "the store: the connection was lost during the import, and nothing of it was kept",
        "Import it again.",
      );
    }
    hasBegun = true;
    return importLines(transaction, lines, known);
  });
}

/** Imports the lines. Rejects a record whose kind no earlier line describes, and an archive without its last line. */
async function importLines(
  transaction: DriverTransaction,
  lines: Lines,
  known: KnownKinds,
): Promise<{ records: number }> {
  const base = await transaction.generation();
  const declared = byName(known.declared);
  const undeclared = new Map(known.stored.filter(({ name }) => !declared.has(name)).map((kind) => [kind.name, kind]));
  const described = new Map<string, KindLayout>();
  let records = 0;
  let at = 0;
  let total: number | undefined;
  const importLine = async (line: ArchiveLine) => {
    const parsed = parseLine(line);
    if ("records" in parsed) {
      total = parsed.records;
    } else if ("indexes" in parsed) {
      const { kind, indexes, text } = parsed;
      const layout = declared.get(kind)?.layout ?? extendLayout(undeclared, { name: kind, indexes, text });
      described.set(kind, layout);
      await transaction.ensureKind(layout);
    } else {
      const { kind, data, ...record } = parsed;
      const layout = described.get(kind);
      if (layout === undefined) {
        throw new ToolError("invalid_input", `no line before it describes the kind ${kind}`);
      }
      const compiled = declared.get(kind);
      if (compiled !== undefined) await checkArchived(compiled, data);
      const { json } = storableRecord(layout, data);
      const generation = importedGeneration(base, record.generation);
      await transaction.write(layout, { ...record, data, json, generation });
      records += 1;
    }
  };
  for await (const line of lines) {
    at += 1;
    await importLine(line).catch((error: unknown) => {
      // An error of the database must stay as it is: the driver decides by it whether to repeat the transaction.
      if (!ToolError.is(error) || error.code === "unavailable") throw error;
      throw new ToolError(error.code, `line ${at}: ${error.message}`, error.hint);
    });
  }
  if (total === records) return { records };
  const found = total === undefined ? "its last line is missing" : `its last line says ${total} records`;
  throw new ToolError("invalid_input", `line ${at}: the archive is not complete: ${found}, ${records} came before`);
}

function parseLine(line: ArchiveLine): z.output<typeof lineSchema> {
  const { data, error } = lineSchema.safeParse(line);
  if (error === undefined) return data;
  throw new ToolError("invalid_input", describeIssues(error.issues, []));
}

/** Adds the indexes and text fields of an archive to those of a kind that no mounted pack declares. @throws ToolError `too_large` */
function extendLayout(undeclared: Map<string, KindLayout>, { name, ...added }: KindLayout): KindLayout {
  const known = undeclared.get(name);
  const indexes = new Map([...(known?.indexes ?? []), ...added.indexes].map((index) => [JSON.stringify(index), index]));
  const text = new Set([...(known?.text ?? []), ...added.text]);
  const layout = { name, indexes: [...indexes.values()], text: [...text] };
  undeclared.set(name, layout);
  if (Math.max(indexes.size, text.size) > maxLayoutSize) {
    throw new ToolError(
      "too_large",
      `the kind ${name} would have more than ${maxLayoutSize} indexes or text fields`,
      "Mount the pack that declares it, or leave the kind out of the archive.",
    );
  }
  if (undeclared.size > maxUndeclaredKinds) {
    throw new ToolError(
      "too_large",
      `the store would hold more than ${maxUndeclaredKinds} kinds that no mounted pack declares`,
      "Mount the packs that declare them, or leave kinds out of the archive.",
    );
  }
  return layout;
}

/** The generation of an imported record. It is bounded, so that every archive of the store can be imported, also after further writes. */
function importedGeneration(base: number, generation: number): number {
  return Math.min(base + generation, Math.max(base + 1, maxImportedGeneration));
}

/** Checks a record both as a new record and as a stored one. Only a new record may have null in an optional field. */
async function checkArchived(kind: CompiledKind, data: RecordData): Promise<void> {
  await checkRecord(kind, data);
  const problem = storedProblem(kind, data);
  if (problem !== undefined) throw new ToolError("invalid_input", problem);
}

function byName(kinds: readonly Kind[]): ReadonlyMap<string, CompiledKind> {
  return new Map(kinds.map((kind) => [kind.name, compileKind(kind)]));
}

/** Moves the records of a workspace into another one, oldest first. The scan reads what was there before the transaction. No other write comes between. */
export async function moveRecords(
  driver: StoreDriver,
  transact: StoreDriver["transaction"],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ moved: number; stayed: readonly string[] }> {
  checkName("workspace", to, 100);
  return transact(async (transaction) => {
    const stayed: string[] = [];
    let moved = 0;
    for await (const part of driver.scan()) {
      if (!("row" in part) || part.row.workspace !== from) continue;
      const { id, closed, data } = part.row;
      if (id === from || (await transaction.get(part.kind, to, id)) !== undefined) {
        stayed.push(`${part.kind.name} ${id}`);
        continue;
      }
      await transaction.write(part.kind, { workspace: to, id, closed, ...storableRecord(part.kind, data) });
      await transaction.remove(part.kind, from, id);
      moved += 1;
    }
    return { moved, stayed };
  });
}

/** Maximum number of problems that are reported one by one. The others are counted. */
const maxReported = 10;

/** The problems of the database. If there are none, the problems of its records. */
export async function checkStore(driver: StoreDriver, kinds: readonly Kind[]): Promise<readonly string[]> {
  const damage = await driver.check();
  return damage.length > 0 || kinds.length === 0 ? damage : checkRecords(driver, kinds);
}

/** The problems of stored records that cannot be exported, or do not match the schema of their kind. Another program or an older version of the kind wrote them. */
async function checkRecords(driver: StoreDriver, kinds: readonly Kind[]): Promise<readonly string[]> {
  const known = byName(kinds);
  const reported: string[] = [];
  let found = 0;
  for await (const part of driver.scan()) {
    const kind = known.get(part.kind.name);
    if (!("row" in part)) continue;
    const { id, workspace, data } = part.row;
    const problem = isTooDeep(data) ? tooDeep : kind && (await problemOf(kind, data));
    if (problem === undefined) continue;
    found += 1;
    if (found > maxReported) continue;
    const where = `${part.kind.name} ${JSON.stringify(id)} of the workspace ${JSON.stringify(workspace)}`;
    reported.push(`${where} does not match the schema of its kind: ${problem}`);
  }
  return found > maxReported
    ? [...reported, `${found - maxReported} more records are not as their kinds require`]
    : reported;
}

async function problemOf(kind: CompiledKind, data: RecordData): Promise<string | undefined> {
  try {
    await checkArchived(kind, data);
    return undefined;
  } catch (error) {
    if (ToolError.is(error)) return error.message;
    throw error;
  }
}
