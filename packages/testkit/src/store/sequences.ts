import { isDeepStrictEqual } from "node:util";
import { ToolError, type Query, type Store, type Stored } from "@toolpacks/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sequence, type Action, type Expected } from "./actions.ts";
import { matching, patched, write, type Model, type ModelRecord } from "./model.ts";
import type { StoreUnderTest } from "./store-place.ts";
import { task, type Task } from "./task-kind.ts";

/** A fixed seed, so that every run uses the same sequences. */
const seed = 7;

/** Runs generated sequences on a store and on a plain Map, and compares every answer. */
export function sequenceTests({ fresh }: StoreUnderTest, count: number): void {
  test(
    `${count} sequences return the same results as a plain Map`,
    async () => {
      await fc.assert(
        fc.asyncProperty(sequence, async (actions) => {
          const store = fresh();
          const other = { store: fresh(), model: new Map(), operations: new Map() };
          const world: World = { store, model: new Map(), operations: new Map(), other };
          const base = await store.generation();
          for (const action of actions) await run({ ...world, base }, action);
          await compareAll(world);
        }),
        { numRuns: count, seed },
      );
    },
    Math.max(60_000, count * 200),
  );
}

interface World {
  readonly store: Store;
  readonly model: Model;
  /** The put and the answer of each operation id. */
  readonly operations: Map<string, { readonly put: string; readonly answer: Stored<Task> }>;
  /** Another workspace, with the same ids. */
  readonly other: Omit<World, "other">;
}

interface Running extends World {
  /** The generation that the sequence began at; a query's `sinceGeneration` counts from it. */
  readonly base: number;
}

async function run(world: Running, action: Action): Promise<void> {
  switch (action.do) {
    case "put":
      return put(world, action);
    case "patch":
      return patch(world, action);
    case "get":
      return expect(plain(await world.store.get(task, action.id))).toEqual(plain(world.model.get(action.id)));
    case "close":
    case "reopen":
      return setClosed(world, action.id, action.do);
    case "delete":
      expect(await world.store.delete(task, action.id)).toBe(world.model.delete(action.id));
      return undefined;
    case "query":
      return compareQuery(world, action.query);
    case "elsewhere":
      return run({ ...world, ...world.other, other: world }, action.step);
    case "transaction":
      return transact(world, action);
  }
}

async function put(world: Running, action: Extract<Action, { do: "put" }>): Promise<void> {
  const { store, model, operations } = world;
  const { id, record, operation } = action;
  const ifGeneration = generationFor(action.if, id === undefined ? undefined : model.get(id));
  const options = { id, ifGeneration, operationId: operation };
  const earlier = operation === undefined ? undefined : operations.get(operation);
  const same = JSON.stringify([record, options]);
  const before = id === undefined ? undefined : model.get(id);
  const lost = ifGeneration !== undefined && ifGeneration !== (before?.generation ?? 0);
  const answer = await attempt(store.put(task, record, options));
  if (earlier !== undefined) {
    if (earlier.put === same) expect(answer).toEqual(earlier.answer);
    else expect(answer).toBe("conflict");
    return;
  }
  if (lost) return expect(answer).toBe("conflict");
  if (typeof answer === "string") throw new Error(`put was refused: ${answer}`);
  write(model, { id: answer.id, data: normal(record), closed: before?.closed ?? false, generation: answer.generation });
  expect(plain(answer)).toEqual(plain(model.get(answer.id)));
  if (operation !== undefined) operations.set(operation, { put: same, answer });
}

async function patch(world: Running, action: Extract<Action, { do: "patch" }>): Promise<void> {
  const { store, model } = world;
  const before = model.get(action.id);
  const ifGeneration = generationFor(action.if, before);
  const options = { id: action.id, patch: true, ifGeneration } as const;
  const answer = await attempt(store.put(task, action.patch, options));
  if (before === undefined) return expect(answer).toBe("not_found");
  if (ifGeneration !== undefined && ifGeneration !== before.generation) return expect(answer).toBe("conflict");
  if (typeof answer === "string") throw new Error(`patch was refused: ${answer}`);
  write(model, { ...before, data: patched(before.data, action.patch), generation: answer.generation });
  return expect(plain(answer)).toEqual(plain(model.get(action.id)));
}

async function setClosed({ store, model }: Running, id: string, change: "close" | "reopen"): Promise<void> {
  const before = model.get(id);
  const closed = change === "close";
  const answer = await attempt(closed ? store.close(task, id) : store.reopen(task, id));
  if (before === undefined) return expect(answer).toBe("not_found");
  if (typeof answer === "string") throw new Error(`${change} was refused: ${answer}`);
  if (before.closed !== closed) {
    const data = normal(closed ? { ...before.data, status: "closed" } : before.data);
    write(model, { ...before, data, closed, generation: answer.generation });
  }
  return expect(plain(answer)).toEqual(plain(model.get(id)));
}

async function transact(world: Running, action: Extract<Action, { do: "transaction" }>): Promise<void> {
  const model = new Map(world.model);
  const operations = new Map(world.operations);
  const undone = new Error("undone");
  const result = world.store.transaction(async (store) => {
    for (const step of action.steps) await run({ ...world, store, model, operations }, step);
    if (action.fails) throw undone;
  });
  if (action.fails) await expect(result).rejects.toBe(undone);
  else await result;
  if (action.fails) return;
  replace(world.model, model);
  replace(world.operations, operations);
}

/** Compares all pages of a query with the model. Ranked queries are compared without their order. */
async function compareQuery({ store, model, base }: Running, generated: Query): Promise<void> {
  const since = generated.sinceGeneration;
  const query = { ...generated, sinceGeneration: since === undefined ? undefined : base + since };
  const expected = matching(model, query);
  const found: Stored<Task>[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.query(task, { ...query, cursor });
    expect(page.total).toBe(expected.length);
    if (query.limit !== undefined) expect(page.items.length).toBeLessThanOrEqual(query.limit);
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && found.length <= expected.length);
  const isRanked = query.text !== undefined && query.sort === undefined;
  const idsOf = (all: readonly { readonly id: string }[]) => {
    const ids = all.map(({ id }) => id);
    return isRanked ? ids.sort() : ids;
  };
  expect(idsOf(found)).toEqual(idsOf(expected));
  for (const record of found) expect(plain(record)).toEqual(plain(model.get(record.id)));
}

async function compareAll({ store, model, other }: World): Promise<void> {
  for (const one of [{ store, model }, other]) {
    const { items } = await one.store.query(task, { includeClosed: true, limit: 1_000 });
    const expected = matching(one.model, { includeClosed: true });
    if (!isDeepStrictEqual(items.map(plain), expected.map(plain)))
      expect(items.map(plain)).toEqual(expected.map(plain));
  }
}

function plain(record: Stored<Task> | ModelRecord | undefined): unknown {
  if (record === undefined) return undefined;
  const { id, data, closed, generation } = record;
  return { id, data: normal(data), closed, generation };
}

/** The data as the schema returns it: with defaults and without undefined fields. */
function normal(data: Task): Task {
  return JSON.parse(JSON.stringify({ ...data, status: data.status ?? "open" })) as Task;
}

function generationFor(expected: Expected | undefined, before: ModelRecord | undefined): number | undefined {
  if (expected === undefined) return undefined;
  if (expected === "none") return 0;
  return expected === "current" ? (before?.generation ?? 0) : (before?.generation ?? 0) + 1_000_000;
}

async function attempt<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (ToolError.is(error)) return error.code;
    throw error;
  }
}

function replace<Key, Value>(target: Map<Key, Value>, source: ReadonlyMap<Key, Value>): void {
  target.clear();
  for (const [key, value] of source) target.set(key, value);
}
