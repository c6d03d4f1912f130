import { z } from "zod";
import { describeIssues } from "../problems.ts";
import { ToolError } from "../tool-error.ts";
import type { RecordData } from "./kind.ts";
import { longestId } from "./record-id.ts";
import { storableRecord, type CheckedRecord } from "./record-data.ts";
import type { DriverTransaction, KindLayout, StoreDriver } from "./driver.ts";
import type { ArchiveLine } from "./store.ts";
import { fieldPathSchema, indexSchema, kindNameSchema } from "./stored-layout.ts";

const name = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "expected no control character");

/** Far more writes than any store sees, and far from where whole numbers end. */
const mostGenerations = 2 ** 40;

const lineSchema = z.union([
  z.object({
    kind: kindNameSchema,
    indexes: z.array(indexSchema).max(64),
    text: z.array(fieldPathSchema).max(64),
  }),
  z.object({
    kind: kindNameSchema,
    workspace: name(100),
    id: name(longestId),
    generation: z.int().min(0).max(mostGenerations),
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

type Lines = AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>;

/**
 * Writes an archive in one transaction. Its lines can be read only once, so a database that asks for the transaction again is told that it
 * failed, and nothing is kept.
 */
export async function importOnce(
  transact: <T>(work: (transaction: DriverTransaction) => Promise<T>) => Promise<T>,
  lines: Lines,
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
    return importLines(transaction, lines);
  });
}

/** A record whose kind no line before it describes is refused, and so is an archive without its last line. */
async function importLines(transaction: DriverTransaction, lines: Lines): Promise<{ records: number }> {
  const base = await transaction.generation();
  const kinds = new Map<string, KindLayout>();
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
      await transaction.prepare(layout);
    } else {
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
  const { json } = storableAt(at, layout, data);
  await transaction.write(layout, { workspace, id, closed, json, data, generation: base + generation });
}

function storableAt(line: number, layout: KindLayout, data: RecordData): CheckedRecord {
  try {
    return storableRecord(layout, data);
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    throw new ToolError(error.code, `line ${line}: ${error.message}`, error.hint);
  }
}
