import { createHash } from "node:crypto";
import {
  ToolError,
  canonicalJson,
  type Change,
  type RecordData,
  type PatchOptions,
  type PutOptions,
  type Store,
  type Stored,
  isObject,
} from "@toolpacks/core";
import type { DriverTransaction, Row } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";
import { checkRecord, patchRecord, storableRecord, type CheckedRecord } from "./record-data.ts";
import { checkQuota } from "./quota.ts";
import { checkStored } from "./damaged-record.ts";
import type { RecordVectors } from "./record-vectors.ts";
import { newRecordId } from "./new-record-id.ts";
import { recordNotFound } from "./record-not-found.ts";

/** The transaction in which a record is written, with its kind and workspace. */
export interface WriteContext {
  readonly transaction: DriverTransaction;
  readonly kind: CompiledKind;
  readonly workspace: string;
  /** The store of this transaction for rules. Its writes run no rules. Undefined if rules do not run. */
  readonly ruleStore: Store | undefined;
  /** Whether the record is put back as it was. */
  readonly restores: boolean;
  /** Maximum bytes of the workspace. Undefined: no limit. */
  readonly maxBytes: number | undefined;
  readonly vectors: RecordVectors;
  /** Whether a rule of another record writes this one. */
  readonly isDerived: boolean;
}

/** Inserts, replaces or patches one record. */
export async function putRecord(
  context: WriteContext,
  record: unknown,
  options: PutOptions | PatchOptions,
): Promise<Stored> {
  const { operationId } = options;
  if (operationId === undefined) return putOnce(context, record, options);
  const { transaction, workspace, kind } = context;
  const request = createHash("sha256")
    .update(canonicalJson([kind.kind.name, record, { patch: false, ...options }]))
    .digest("base64url");
  const before = await transaction.operation(workspace, operationId);
  if (before !== undefined) {
    if (before.request === request) return before.answer as unknown as Stored;
    throw new ToolError(
      "conflict",
      "operationId: it was used for a different put",
      "Use a new one for each write, and the same one only to retry it.",
    );
  }
  const stored = await putOnce(context, record, options);
  await transaction.remember({ id: operationId, workspace, request, answer: { ...stored } });
  return stored;
}

async function putOnce(context: WriteContext, record: unknown, options: PutOptions | PatchOptions): Promise<Stored> {
  const { transaction, kind, workspace } = context;
  const { patch = false, ifGeneration } = options;
  const before = options.id === undefined ? undefined : await transaction.get(kind.layout, workspace, options.id);
  if (patch && before === undefined) throw recordNotFound(kind.kind, options.id);
  if (before !== undefined && runsRule(context)) checkStored(kind, before);
  checkGeneration(kind, options.id, { ifGeneration, before });
  const fullRecord = patch && before !== undefined ? patchRecord(before.data, asRecord(record)) : record;
  const checked = await checkRecord(kind, fullRecord);
  const id = options.id ?? (await unusedId(context, checked.data));
  const { closed = before?.closed ?? false } = options;
  const operation = closed === (before?.closed ?? false) ? "put" : closed ? "close" : "reopen";
  // With an operation id, the record is also stored as the answer for retries.
  const copies = options.operationId === undefined ? 1 : 2;
  return writeChecked(context, { operation, id, before, checked, closed, copies });
}

/** Closes or reopens one record. Writes nothing if it already is closed or open. */
export async function setClosed(
  context: WriteContext,
  id: string,
  closing: { closed: boolean; note?: string },
): Promise<Stored> {
  const { transaction, kind, workspace } = context;
  const before = await transaction.get(kind.layout, workspace, id);
  if (before === undefined) throw recordNotFound(kind.kind, id);
  checkStored(kind, before);
  if (before.closed === closing.closed) return before;
  const set = closing.closed ? kind.kind.close(before.data, { note: closing.note, now: new Date().toISOString() }) : {};
  const checked = await checkRecord(kind, patchRecord(before.data, set));
  const operation = closing.closed ? "close" : "reopen";
  return writeChecked(context, { operation, id, before, checked, closed: closing.closed, copies: 1 });
}

/** Deletes one record permanently. */
export async function deleteRecord(context: WriteContext, id: string): Promise<boolean> {
  const { transaction, kind, workspace } = context;
  const before = await transaction.get(kind.layout, workspace, id);
  if (before === undefined) return false;
  if (runsRule(context)) checkStored(kind, before);
  await runRule(context, { operation: "delete", id, before, after: before.data, closed: before.closed });
  noteVersion(context, before, { id, generation: 0 });
  return transaction.remove(kind.layout, workspace, id);
}

/** @param generation of the write. 0: the record is deleted */
function noteVersion(
  context: WriteContext,
  row: Row | undefined,
  { id, generation }: { id: string; generation: number },
) {
  const { transaction, workspace, kind, isDerived } = context;
  const before = row === undefined ? null : { data: row.data, closed: row.closed, generation: row.generation };
  transaction.note?.({ workspace, kind: kind.kind.name, id, before, generation, derived: isDerived });
}

/** Whether the kind's rule runs. It reads the stored record, so only without a rule can a damaged record be replaced or deleted. */
function runsRule({ kind, ruleStore }: WriteContext): boolean {
  return ruleStore !== undefined && kind.kind.rule !== undefined;
}

function runRule({ kind, ruleStore, restores }: WriteContext, change: Omit<Change, "now" | "store" | "restores">) {
  return ruleStore && kind.kind.rule?.({ ...change, restores, now: new Date().toISOString(), store: ruleStore });
}

interface Proposal {
  readonly operation: Change["operation"];
  readonly id: string;
  readonly before: Row | undefined;
  readonly checked: CheckedRecord;
  readonly closed: boolean;
  /** How many times the record is stored. */
  readonly copies: number;
}

/** Applies the kind's rule and the quota, and writes the record. */
async function writeChecked(context: WriteContext, proposal: Proposal): Promise<Stored> {
  const { transaction, kind, workspace, maxBytes } = context;
  const { operation, id, before, checked, copies } = proposal;
  const ruling = await runRule(context, { operation, id, before, after: checked.data, closed: proposal.closed });
  const closed = ruling?.closed ?? proposal.closed;
  const { json, data } = ruling?.record === undefined ? checked : storableRecord(kind.layout, ruling.record);
  await checkQuota({ transaction, workspace, maxBytes, json, copies, before });
  const vectors = await context.vectors.ofRecord(kind, data, before?.data);
  const generation = await transaction.write(kind.layout, { workspace, id, closed, json, data, vectors });
  noteVersion(context, before, { id, generation });
  return { id, data, generation, closed, workspace };
}

function checkGeneration(
  { kind }: CompiledKind,
  id: string | undefined,
  { ifGeneration, before }: { ifGeneration: number | undefined; before: Row | undefined },
): void {
  const current = before?.generation ?? 0;
  if (ifGeneration === undefined || ifGeneration === current) return;
  const what = `${kind.name} ${id ?? "(new)"}`;
  if (before === undefined)
    throw new ToolError("conflict", `${what}: it does not exist`, "Put it without ifGeneration.");
  throw new ToolError(
    "conflict",
    `${what}: its generation is ${current}, not ${ifGeneration}`,
    "It was changed since you read it. Read it again before you write.",
  );
}

async function unusedId(
  { transaction, kind, workspace, ruleStore }: WriteContext,
  record: RecordData,
): Promise<string> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const named = ruleStore === undefined ? undefined : await kind.kind.newId?.(record, ruleStore);
    const id = named ?? newRecordId();
    if ((await transaction.get(kind.layout, workspace, id)) === undefined) return id;
  }
  throw new Error(`kind ${kind.kind.name}: newId made only ids that are taken`);
}

function asRecord(value: unknown): RecordData {
  if (isObject(value)) return value;
  throw new ToolError("invalid_input", "record: expected an object of fields");
}
