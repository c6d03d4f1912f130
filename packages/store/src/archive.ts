import { z } from "zod";
import { describeIssues, ToolError, type Kind, type RecordData, type ArchiveLine } from "@toolpacks/core";
import { damagedRecord, storedProblem } from "./damaged-record.ts";
import { compileKind, type CompiledKind } from "./kind-layout.ts";
import { maxIdLength } from "./record-id.ts";
import { checkRecord, isTooDeep, storableRecord, type CheckedRecord } from "./record-data.ts";
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
  const kinds = new Map<string, KindLayout>();
  const declared = byName(known.declared);
  const others = new Map(known.stored.filter(({ name }) => !declared.has(name)).map((kind) => [kind.name, kind]));
  let records = 0;
  let at = 0;
  let total: number | undefined;
  for await (const line of lines) {
    at += 1;
    const checked = lineSchema.safeParse(line);
    if (!checked.success)
      throw new ToolError("invalid_input", `line ${at}: ${describeIssues(checked.error.issues, [])}`);
    const { data: parsed } = checked;
    if ("records" in parsed) {
      total = parsed.records;
    } else if ("indexes" in parsed) {
      const { kind: named, indexes, text } = parsed;
      const layout =
        declared.get(named)?.layout ?? addToLayout(others.get(named), { name: named, indexes, text }, `line ${at}`);
      kinds.set(named, layout);
      if (!declared.has(named)) others.set(named, layout);
      if (others.size > maxUndeclaredKinds) {
        throw new ToolError(
          "too_large",
          `line ${at}: the store would hold more than ${maxUndeclaredKinds} kinds that no mounted pack declares`,
          "Mount the packs that declare them, or leave kinds out of the archive.",
        );
      }
      await transaction.ensureKind(layout);
    } else {
      const kind = declared.get(parsed.kind);
      if (kind !== undefined) await atLine(at, () => checkArchived(kind, parsed.data));
      await importRecord(transaction, kinds.get(parsed.kind), { ...parsed, at, base });
      records += 1;
    }
  }
  if (total === records) return { records };
  const found = total === undefined ? "its last line is missing" : `its last line says ${total} records`;
  throw new ToolError("invalid_input", `line ${at}: the archive is not complete: ${found}, ${records} came before`);
}

/** Adds the indexes and text fields of an archive to those of the stored kind. @throws ToolError `too_large` */
function addToLayout(known: KindLayout | undefined, { name: kind, ...added }: KindLayout, where: string): KindLayout {
  const indexes = new Map([...(known?.indexes ?? []), ...added.indexes].map((index) => [JSON.stringify(index), index]));
  const text = new Set([...(known?.text ?? []), ...added.text]);
  if (Math.max(indexes.size, text.size) <= maxLayoutSize)
    return { name: kind, indexes: [...indexes.values()], text: [...text] };
  throw new ToolError(
    "too_large",
    `${where}: the kind ${kind} would have more than ${maxLayoutSize} indexes or text fields`,
    "Mount the pack that declares it, or leave the kind out of the archive.",
  );
}

/** The line of a record with its line number. */
type ImportedRecord = Extract<ArchiveLine, { readonly id: string }> & {
  readonly at: number;
  /** The store's generation before the import. */
  readonly base: number;
};

async function importRecord(
  transaction: DriverTransaction,
  layout: KindLayout | undefined,
  { kind, workspace, id, closed, data, generation, at, base }: ImportedRecord,
): Promise<void> {
  if (layout === undefined) {
    throw new ToolError("invalid_input", `line ${at}: no line before it describes the kind ${kind}`);
  }
  const { json } = await atLine(at, () => storableRecord(layout, data));
  const written = importedGeneration(base, generation);
  await transaction.write(layout, { workspace, id, closed, json, data, generation: written });
}

/** The generation of an imported record. It is bounded, so that every archive of the store can be imported, also after further writes. */
function importedGeneration(base: number, generation: number): number {
  return Math.min(base + generation, Math.max(base + 1, maxImportedGeneration));
}

/** Checks a record both as a new record and as a stored one. Only a new record may have null in an optional field. */
async function checkArchived(kind: CompiledKind, data: RecordData): Promise<CheckedRecord> {
  const checked = await checkRecord(kind, data);
  const problem = storedProblem(kind, data);
  if (problem !== undefined) throw new ToolError("invalid_input", problem);
  return checked;
}

/** Runs a check, and adds the line number to its error. */
async function atLine(line: number, check: () => CheckedRecord | Promise<CheckedRecord>): Promise<CheckedRecord> {
  try {
    return await check();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new ToolError(error.code, `line ${line}: ${error.message}`, error.hint);
  }
}

function byName(kinds: readonly Kind[]): ReadonlyMap<string, CompiledKind> {
  return new Map(kinds.map((kind) => [kind.name, compileKind(kind)]));
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
