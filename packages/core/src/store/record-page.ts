import { makeCursor } from "./cursor.ts";
import { checkStored, storedProblem } from "./damaged-record.ts";
import type { Found, QueryPlan, Row } from "./driver.ts";
import type { PreparedKind } from "./kind-layout.ts";
import type { RecordData } from "./store.ts";
import type { Query } from "./query.ts";
import type { Page, Stored } from "./store.ts";

interface Answered {
  readonly kind: PreparedKind;
  readonly query: Query;
  readonly plan: QueryPlan;
}

/** What a query answers: the page of what the driver found, its records checked. */
export function recordPage(found: Found, { kind, query, plan }: Answered): Page {
  const { limit, workspaces, countTo = Infinity } = plan;
  const { rows, total, generation } = found;
  const { compaction, fields } = query;
  const compacted = query.limit === undefined && compaction !== undefined && rows.length > compaction.over;
  const size = compacted ? compaction.show : limit;
  const shown = rows.slice(0, size);
  const sound = soundRows(shown, kind, query);
  const more = rows.length > size && size > 0;
  return {
    items: sound.map((row) => stored(row, fields)),
    total: Math.min(total, countTo),
    ...(total > countTo && { atLeast: true }),
    ...(more && { cursor: makeCursor({ kind: kind.kind.name, workspaces, query }, found.resume(size - 1)) }),
    ...(compacted && { compacted }),
    ...(sound.length < shown.length && { damaged: shown.length - sound.length }),
    generation,
  };
}

/** The rows that the kind admits. A query for no field of the records checks nothing, so that damaged ones can be removed. */
function soundRows(rows: readonly Row[], kind: PreparedKind, { fields, skipDamaged }: Query): readonly Row[] {
  if (fields?.length === 0) return rows;
  if (skipDamaged === true) return rows.filter(({ data }) => storedProblem(kind, data) === undefined);
  return rows.map((row) => checkStored(kind, row));
}

function stored({ id, data, generation, closed, workspace }: Row, fields: readonly string[] | undefined): Stored {
  return { id, data: fields === undefined ? data : pick(data, fields), generation, closed, workspace };
}

function pick(data: RecordData, fields: readonly string[]): RecordData {
  return Object.fromEntries(fields.flatMap((field) => (Object.hasOwn(data, field) ? [[field, data[field]]] : [])));
}
