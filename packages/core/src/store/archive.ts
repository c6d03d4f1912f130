import { z } from "zod";
import { describeIssues } from "../problems.ts";
import { ToolError } from "../tool-error.ts";
import { storedProblem } from "./damaged-record.ts";
import { prepareKind, type PreparedKind } from "./kind-layout.ts";
import type { Kind, RecordData, ArchiveLine } from "./store.ts";
import { maxIdLength } from "./record-id.ts";
import { checkRecord, storableRecord, type CheckedRecord } from "./record-data.ts";
import type { DriverTransaction, KindLayout, StoreDriver } from "./driver.ts";
import { fieldPathSchema, indexSchema, kindNameSchema } from "./stored-layout.ts";

const name = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "expected no control character");

/** Far more writes than any store sees, and far from where whole numbers end. */
const maxGenerations = 2 ** 40;

const lineSchema = z.union([
  z.object({
    kind: kindNameSchema,
    indexes: z.array(indexSchema).max(64),
    text: z.array(fieldPathSchema).max(64),
  }),
  z.object({
    kind: kindNameSchema,
    workspace: name(100),
    id: name(maxIdLength),
    generation: z.int().min(0).max(maxGenerations),
    closed: z.boolean(),
    data: z.record(z.string(), z.unknown()),
  }),
  z.object({ records: z.int().min(0) }),
]);

/** Everything in a store as lines of an archive. */
export async function* exportLines(driver: StoreDriver): AsyncGenerator<ArchiveLine> {
  let records = 0;
  for await (const part of driver.scan()) {
    const { name: kind, indexes, text } = part.kind;
    if ("row" in part) {
      const { workspace, id, generation, closed, data } = part.row;
      records += 1;
      yield { kind, workspace, id, generation, closed, data };
    } else {
      yield { kind, indexes, text };
    }
  }
  yield { records };
}

/** Each kind takes tables and indexes, also without a record. */
const maxUndeclaredKinds = 200;

/** What is known of kinds before an import. */
export interface KnownKinds {
  /** Those of mounted packs, whose schemas the records must pass. */
  readonly declared: readonly Kind[];
  /** Names of those in the store. */
  readonly stored: readonly string[];
}

type Lines = AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>;

/**
 * Writes an archive in one transaction. Its lines can be read only once, so a database that asks for the transaction again is told that it
 * failed, and nothing is kept.
 */
export async function importOnce(
  transact: <T>(work: (transaction: DriverTransaction) => Promise<T>) => Promise<T>,
  lines: Lines,
  known: KnownKinds,
): Promise<{ records: number }> {
  let begun = false;
  return transact((transaction) => {
    if (begun) {
      throw new ToolError(
        "unavailable",
        "the store: the connection was lost during the import, and nothing of it was kept",
        "Import it again.",
      );
    }
    begun = true;
    return importLines(transaction, lines, known);
  });
}

/** A record whose kind no line before it describes is refused, and so is an archive without its last line. */
async function importLines(
  transaction: DriverTransaction,
  lines: Lines,
  known: KnownKinds,
): Promise<{ records: number }> {
  const base = await transaction.generation();
  const kinds = new Map<string, KindLayout>();
  const declared = byName(known.declared);
  const others = new Set(known.stored.filter((name) => !declared.has(name)));
  let records = 0;
  let at = 0;
  let total: number | undefined;
  for await (const line of lines) {
    at += 1;
    const checked = lineSchema.safeParse(line);
    if (!checked.success)
      throw new ToolError("invalid_input", `line ${at}: ${describeIssues(checked.error.issues, [])}`);
    const { data: given } = checked;
    if ("records" in given) {
      total = given.records;
    } else if ("indexes" in given) {
      const { kind: named, indexes, text } = given;
      const layout = { name: named, indexes, text };
      kinds.set(named, layout);
      if (!declared.has(named)) others.add(named);
      if (others.size > maxUndeclaredKinds) {
        throw new ToolError(
          "too_large",
          `line ${at}: the store would hold more than ${maxUndeclaredKinds} kinds that no mounted pack declares`,
          "Mount the packs that declare them, or leave kinds out of the archive.",
        );
      }
      await transaction.prepare(layout);
    } else {
      const kind = declared.get(given.kind);
      if (kind !== undefined) await atLine(at, () => checkArchived(kind, given.data));
      await importRecord(transaction, kinds.get(given.kind), { ...given, at, base });
      records += 1;
    }
  }
  if (total === records) return { records };
  const found = total === undefined ? "its last line is missing" : `its last line tells of ${total} records`;
  throw new ToolError("invalid_input", `line ${at}: the archive is not whole: ${found}, ${records} came before`);
}

/** A record's line, and where it comes. */
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
  await transaction.write(layout, { workspace, id, closed, json, data, generation: base + generation });
}

/** Checks a record as one that is put, and as one that is read: of a field that is null, the former alone takes it as absent. */
async function checkArchived(kind: PreparedKind, data: RecordData): Promise<CheckedRecord> {
  const checked = await checkRecord(kind, data);
  const problem = storedProblem(kind, data);
  if (problem !== undefined) throw new ToolError("invalid_input", problem);
  return checked;
}

/** Names the line in what is wrong with it. */
async function atLine(line: number, check: () => CheckedRecord | Promise<CheckedRecord>): Promise<CheckedRecord> {
  try {
    return await check();
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new ToolError(error.code, `line ${line}: ${error.message}`, error.hint);
  }
}

function byName(kinds: readonly Kind[]): ReadonlyMap<string, PreparedKind> {
  return new Map(kinds.map((kind) => [kind.name, prepareKind(kind)]));
}

/** Problems that are told one by one; more are counted. */
const maxReported = 10;

/** What is wrong with the database, or with the records in it. */
export async function checkStore(driver: StoreDriver, kinds: readonly Kind[]): Promise<readonly string[]> {
  const damage = await driver.check();
  return damage.length > 0 || kinds.length === 0 ? damage : checkRecords(driver, kinds);
}

/** The stored records that their kind's schema does not admit: another program wrote them, or an older declaration of the kind. */
async function checkRecords(driver: StoreDriver, kinds: readonly Kind[]): Promise<readonly string[]> {
  const known = byName(kinds);
  const told: string[] = [];
  let found = 0;
  for await (const part of driver.scan()) {
    const kind = known.get(part.kind.name);
    if (kind === undefined || !("row" in part)) continue;
    const { id, workspace, data } = part.row;
    const problem = await problemOf(kind, data);
    if (problem === undefined) continue;
    found += 1;
    if (found > maxReported) continue;
    const where = `${kind.kind.name} ${JSON.stringify(id)} of the workspace ${JSON.stringify(workspace)}`;
    told.push(`${where} is not as its kind requires: ${problem}`);
  }
  return found > maxReported ? [...told, `${found - maxReported} more records are not as their kinds require`] : told;
}

async function problemOf(kind: PreparedKind, data: RecordData): Promise<string | undefined> {
  try {
    await checkArchived(kind, data);
    return undefined;
  } catch (error) {
    if (ToolError.is(error)) return error.message;
    throw error;
  }
}
