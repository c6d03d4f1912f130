import { ToolError, type Query } from "@toolpacks/core";
import { decodeCursor } from "./cursor.ts";
import type { Predicate, QueryPlan } from "./driver.ts";
import { checkFilter } from "./check-filter.ts";
import { isArrayType, type CompiledKind } from "./kind-layout.ts";
import { planField } from "./plan-field.ts";
import { textWords } from "./text-words.ts";

const maxRecords = 1_000;
const defaultLimit = 100;
const maxSortFields = 4;
/** Maximum number of matches that are counted by default, because counting takes longer the more there are. */
const maxCounted = 10_000;
/** The same for matches of a text by rank, whose first page must not take longer the more records have its words. */
const maxCountedByRank = 1_000;

/**
 * Validates a query against its kind, and converts it to a plan for the driver.
 *
 * @throws ToolError `invalid_input` naming the field and what would be accepted
 */
export function planQuery(kind: CompiledKind, query: Query, workspaces: QueryPlan["workspaces"]): QueryPlan {
  const { sinceGeneration, includeClosed = sinceGeneration !== undefined, compaction } = query;
  const limit = checkWholeNumber("limit", query.limit, maxRecords) ?? (compaction ? compaction.over : defaultLimit);
  checkWholeNumber("sinceGeneration", sinceGeneration, Number.MAX_SAFE_INTEGER);
  const sort = checkSort(
    kind,
    query.sort ?? (sinceGeneration !== undefined && query.text === undefined ? ["generation"] : []),
  );
  const isByRank = query.text !== undefined && sort.length === 0;
  return {
    workspaces,
    where: wherePredicate(kind, query),
    text: checkText(kind, query),
    sort,
    includeClosed,
    sinceGeneration,
    limit,
    countTo: planCount(query.countTo ?? (limit === 0 ? Infinity : isByRank ? maxCountedByRank : maxCounted)),
    after:
      query.cursor === undefined ? undefined : decodeCursor(query.cursor, { kind: kind.kind.name, workspaces, query }),
  };
}

/** The filter, and that the records belong to the caller. */
function wherePredicate(kind: CompiledKind, { filter, caller = "" }: Query): QueryPlan["where"] {
  const checked = filter && checkFilter(kind, filter);
  const matches = checked === undefined || isEmpty(checked) ? undefined : checked;
  const { owner } = kind.kind;
  if (owner === undefined || caller === "") return matches;
  const isOwn = { op: "eq", field: planField(kind, owner, "owner"), value: caller } as const;
  return matches === undefined ? isOwn : { op: "and", of: [isOwn, matches] };
}

/** Whether a filter has no condition. */
function isEmpty(predicate: Predicate): boolean {
  return predicate.op === "and" && predicate.of.every(isEmpty);
}

/** Undefined: all matches are counted. */
function planCount(countTo: number): number | undefined {
  return countTo === Infinity ? undefined : checkWholeNumber("countTo", countTo, Number.MAX_SAFE_INTEGER - 1);
}

function checkWholeNumber(name: string, value: number | undefined, max: number): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0 && value <= max)) return value;
  throw new ToolError("invalid_input", `${name}: expected a whole number from 0 to ${max}, received ${value}`);
}

function checkText(kind: CompiledKind, { text, match = "all" }: Query): QueryPlan["text"] {
  if (text === undefined) return undefined;
  if (match !== "all" && match !== "any") {
    throw new ToolError("invalid_input", `match: expected all or any, received ${JSON.stringify(match)}`);
  }
  if (kind.layout.text.length === 0) {
    throw new ToolError("invalid_input", `text: records of kind ${kind.kind.name} have no text fields`, "Use filter.");
  }
  const words = [...new Set(textWords(text))].slice(0, 64);
  if (words.length === 0) throw new ToolError("invalid_input", "text: expected at least one word or number");
  return { words, match };
}

function checkSort(kind: CompiledKind, sort: readonly string[]): QueryPlan["sort"] {
  if (sort.length > maxSortFields)
    throw new ToolError("invalid_input", `sort: expected at most ${maxSortFields} fields`);
  return sort.map((entry) => {
    const descending = entry.startsWith("-");
    const field = planField(kind, descending ? entry.slice(1) : entry, "sort");
    if (isArrayType(field.type)) throw new ToolError("invalid_input", `sort: ${field.path} is an array`);
    return { field, descending };
  });
}
