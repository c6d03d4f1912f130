import type { Filter, Patch, Query, Scalar } from "@toolpacks/core";
import { textWords } from "@toolpacks/store";
import { task, type Task } from "./task-kind.ts";

/** A record of the model. */
export interface ModelRecord {
  readonly id: string;
  readonly data: Task;
  readonly closed: boolean;
  readonly generation: number;
  /** The generation of its insertion. */
  readonly age: number;
}

/** A simple model of one workspace of a store. */
export type Model = Map<string, ModelRecord>;

/** Writes a record that was accepted at a generation. */
export function write(model: Model, record: Omit<ModelRecord, "age">): void {
  model.set(record.id, { ...record, age: model.get(record.id)?.age ?? record.generation });
}

export function patched(data: Task, patch: Patch<Task>): Task {
  const isUnset = (name: string) => Object.hasOwn(patch, name) && patch[name as keyof Task] === null;
  return Object.fromEntries(Object.entries({ ...data, ...patch }).filter(([name]) => !isUnset(name))) as Task;
}

/** All records that match a query, in its order. Ranked queries are sorted by age. */
export function matching(model: Model, query: Query): readonly ModelRecord[] {
  const { filter = {}, text, match = "all", sinceGeneration, includeClosed = sinceGeneration !== undefined } = query;
  const wanted = text === undefined ? [] : textWords(text);
  const found = [...model.values()].filter((record) => {
    if (record.closed && !includeClosed) return false;
    if (sinceGeneration !== undefined && record.generation <= sinceGeneration) return false;
    if (!holds(record, filter)) return false;
    if (text === undefined) return true;
    const words = new Set(task.text.flatMap((field) => textWords(textOf(fieldAt(record, field)))));
    return match === "all" ? wanted.every((word) => words.has(word)) : wanted.some((word) => words.has(word));
  });
  const sort = query.sort ?? (sinceGeneration !== undefined && text === undefined ? ["generation"] : []);
  return found.sort((a, b) => compareBy(sort, a, b));
}

function compareBy(sort: readonly string[], a: ModelRecord, b: ModelRecord): number {
  for (const entry of sort) {
    const field = entry.replace(/^-/, "");
    const order = compare(fieldAt(a, field), fieldAt(b, field));
    if (order !== 0) return entry.startsWith("-") ? -order : order;
  }
  return sort.at(-1)?.startsWith("-") === true ? b.age - a.age : a.age - b.age;
}

function holds(record: ModelRecord, filter: Filter): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (key === "and") return (condition as Filter[]).every((one) => holds(record, one));
    if (key === "or") return (condition as Filter[]).some((one) => holds(record, one));
    if (key === "not") return !holds(record, condition as Filter);
    return meets(fieldAt(record, key), condition);
  });
}

function meets(value: unknown, condition: unknown): boolean {
  const isThere = Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  if (condition === null) return !isThere;
  if (typeof condition !== "object") return value === condition;
  return Object.entries(condition).every(([operator, operand]: [string, unknown]) => {
    if (operator === "exists") return isThere === operand;
    if (operator === "in") return (operand as unknown[]).includes(value);
    if (operator === "contains") return Array.isArray(value) && value.includes(operand);
    if (!isThere) return false;
    const order = compare(value, operand);
    return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[operator] ?? false;
  });
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "string" ? value : "";
}

function fieldAt(record: ModelRecord, path: string): unknown {
  if (path === "id" || path === "generation") return record[path];
  let value: unknown = record.data;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value ?? undefined;
}

/** Compares two values. An absent value is the smallest. Strings compare by code point, like their UTF-8 bytes. */
function compare(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return (a as Scalar) < (b as Scalar) ? -1 : (a as Scalar) > (b as Scalar) ? 1 : 0;
}
