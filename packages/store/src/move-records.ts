import { canonicalJson, type OwnedStore } from "@toolpacks/core";
import type { DriverTransaction, KindLayout, Row, StoreDriver } from "./driver.ts";
import { storableRecord } from "./record-data.ts";

interface Move {
  readonly driver: StoreDriver;
  readonly transaction: DriverTransaction;
  readonly from: string;
  readonly to: string;
}

/** Moves the records of a workspace into another one, oldest first. The scan sees the state before the transaction, in which nobody else writes. */
export async function moveRecords({ driver, transaction, from, to }: Move): ReturnType<OwnedStore["move"]> {
  const stayed: { readonly kind: string; readonly id: string }[] = [];
  let moved = 0;
  const moveRow = async (kind: KindLayout, { id, closed, data }: Row) => {
    const there = await transaction.get(kind, to, id);
    const isSame = there?.closed === closed && canonicalJson(there.data) === canonicalJson(data);
    if (id === from || (there !== undefined && !isSame)) {
      stayed.push({ kind: kind.name, id });
      return;
    }
    if (!isSame) await transaction.write(kind, { workspace: to, id, closed, ...storableRecord(kind, data) });
    await transaction.remove(kind, from, id);
    moved += 1;
  };
  for await (const part of driver.scan()) {
    if ("row" in part && part.row.workspace === from) await moveRow(part.kind, part.row);
  }
  return { moved, stayed };
}
