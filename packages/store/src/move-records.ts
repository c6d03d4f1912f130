import { canonicalJson, type OwnedStore } from "@toolpacks/core";
import { checkName } from "./check-options.ts";
import type { DriverTransaction, KindLayout, Row, StoreDriver } from "./driver.ts";
import { storableRecord } from "./record-data.ts";

interface Move {
  readonly from: string;
  readonly to: string;
}

/** Moves the records of a workspace into another one, oldest first. The scan sees the state before the transaction, in which nobody else writes. */
export async function moveRecords(
  driver: StoreDriver,
  transact: StoreDriver["transaction"],
  { from, to }: Move,
): ReturnType<OwnedStore["move"]> {
  for (const id of [from, to]) checkName("workspace", id, 100);
  return transact(async (transaction) => {
    const stayed: { readonly kind: string; readonly id: string }[] = [];
    let moved = 0;
    for await (const part of driver.scan()) {
      if (!("row" in part) || part.row.workspace !== from) continue;
      const { kind, row } = part;
      if (row.id !== from && (await moveRow(transaction, { kind, row, to }))) moved += 1;
      else stayed.push({ kind: kind.name, id: row.id });
    }
    return { moved, stayed };
  });
}

/** Moves one record. False if the other workspace has another one with its id. */
async function moveRow(
  transaction: DriverTransaction,
  { kind, row, to }: { readonly kind: KindLayout; readonly row: Row; readonly to: string },
): Promise<boolean> {
  const { workspace: from, id, closed, data } = row;
  const there = await transaction.get(kind, to, id);
  if (there === undefined) await transaction.write(kind, { workspace: to, id, closed, ...storableRecord(kind, data) });
  else if (there.closed !== closed || canonicalJson(there.data) !== canonicalJson(data)) return false;
  return transaction.remove(kind, from, id);
}
