import { encodeCursor } from "./cursor.ts";
import { checkStored, storedProblem } from "./damaged-record.ts";
import type { FindResult, QueryPlan, Row } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";
import type { RecordData, Query, Page, Stored } from "@toolpacks/core";

/** Builds the page of a query from the rows that the driver found, and checks the records. */
export function recordPage(
  found: FindResult,
  { kind, query, plan }: { kind: CompiledKind; query: Query; plan: QueryPlan },
): Page {
  const { limit, workspaces, countTo = Infinity } = plan;
  const { rows, total, generation } = found;
  const { compaction, fields } = query;
  const compacted = query.limit === undefined && compaction !== undefined && rows.length > compaction.over;
  const size = compacted ? compaction.show : limit;
  const shown = rows.slice(0, size);
  const valid = validRows(shown, kind, query);
  const more = rows.length > size && size > 0;
  return {
    items: valid.map((row) => toStored(row, fields)),
    total: Math.min(total, countTo),
    ...(total > countTo && { atLeast: true }),
    ...(more && { cursor: encodeCursor({ kind: kind.kind.name, workspaces, query }, found.resume(size - 1)) }),
    ...(compacted && { compacted }),
    ...(valid.length < shown.length && { damaged: shown.length - valid.length }),
    generation,
  };
}

/** The rows that match the schema of the kind. A query for no fields checks nothing, so that damaged records can be removed. */
function validRows(rows: readonly Row[], kind: CompiledKind, { fields, skipDamaged }: Query): readonly Row[] {
  if (fields?.length === 0) return rows;
  if (skipDamaged === true) return rows.filter(({ data }) => storedProblem(kind, data) === undefined);
  return rows.map((row) => checkStored(kind, row));
}

function toStored({ id, data, generation, closed, workspace }: Row, fields: readonly string[] | undefined): Stored {
  return { id, data: fields === undefined ? data : pick(data, fields), generation, closed, workspace };
}

function pick(data: RecordData, fields: readonly string[]): RecordData {
  return Object.fromEntries(fields.flatMap((field) => (Object.hasOwn(data, field) ? [[field, data[field]]] : [])));
}
