import type { Filter, Patch, Query } from "@toolpacks/core";
import * as fc from "fast-check";
import type { Task } from "./task-kind.ts";

/** One step of a generated sequence. */
export type Action =
  | {
      readonly do: "put";
      readonly id?: string;
      readonly record: Task;
      readonly if?: Expected;
      readonly operation?: string;
    }
  | { readonly do: "patch"; readonly id: string; readonly patch: Patch<Task>; readonly if?: Expected }
  | { readonly do: "close" | "reopen" | "delete" | "get"; readonly id: string }
  | { readonly do: "query"; readonly query: Query }
  | { readonly do: "transaction"; readonly steps: readonly Action[]; readonly fails: boolean }
  | { readonly do: "elsewhere"; readonly step: Action };

/** The generation of a compare-and-set. */
export type Expected = "current" | "stale" | "none";

const words = ["apple", "pears", "running", "Über", "登录", "x1"] as const;
const statuses = ["open", "busy", "", "Ä", "😀", "￿", "open2"] as const;
const ids = ["a", "b", "c", "d", "e", "ü", "a'b"] as const;
const owners = ["ann", "bob"] as const;
const dates = ["2026-01-01", "2026-06-01", "2027"] as const;

const some = <T>(values: readonly T[]) => fc.constantFrom(...values);
const text = fc.array(some(words), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
const priority = fc.oneof(fc.integer({ min: -2, max: 4 }), some([0.5, 1e9, -0.25]));

const fields = {
  title: text,
  body: text,
  status: some(statuses),
  priority,
  done: fc.boolean(),
  labels: fc.array(some(words), { maxLength: 3 }),
  scores: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
  owner: fc.record({ name: some(owners), team: some(owners) }, { requiredKeys: [] }),
  due: fc.option(some(dates), { nil: null }),
  'it\'s "odd"': some(words),
};

const record: fc.Arbitrary<Task> = fc.record(fields, { requiredKeys: ["title"] });

const patch: fc.Arbitrary<Patch<Task>> = fc.record(
  {
    title: text,
    status: some(statuses),
    priority: fc.option(priority, { nil: null }),
    labels: fc.option(fields.labels, { nil: null }),
    owner: fc.option(fields.owner, { nil: null }),
    done: fc.option(fc.boolean(), { nil: null }),
  },
  { requiredKeys: [] },
);

const exists = fc.oneof(
  fc.boolean().map((value) => ({ exists: value })),
  fc.constant(null),
);
const anyOf = <T>(value: fc.Arbitrary<T>) => fc.array(value, { maxLength: 3 }).map((all) => ({ in: all }));
const range = <T>(value: fc.Arbitrary<T>) =>
  fc
    .record({ gt: value, gte: value, lt: value, lte: value }, { requiredKeys: [] })
    .filter((one) => Object.keys(one).length > 0);
const compared = (value: fc.Arbitrary<string | number>) => fc.oneof(value, range(value), anyOf(value), exists);
const contains = (item: fc.Arbitrary<string | number>) =>
  fc.oneof(
    item.map((one) => ({ contains: one })),
    exists,
  );

const conditions = {
  id: compared(some(ids)),
  status: compared(some(statuses)),
  priority: compared(priority),
  "owner.name": compared(some(owners)),
  due: compared(some(dates)),
  'it\'s "odd"': compared(some(words)),
  done: fc.oneof(fc.boolean(), anyOf(fc.boolean()), exists),
  labels: contains(some(words)),
  scores: contains(fc.integer({ min: 0, max: 3 })),
};
const condition: fc.Arbitrary<Filter> = fc.oneof(
  ...Object.entries(conditions).map(([field, value]) =>
    (value as fc.Arbitrary<unknown>).map((one) => ({ [field]: one }) as Filter),
  ),
);

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    condition,
    tie("filter").map((inner) => ({ not: inner })),
    fc.array(tie("filter"), { maxLength: 3 }).map((all) => ({ and: all })),
    fc.array(tie("filter"), { maxLength: 3 }).map((all) => ({ or: all })),
  ),
}));

const sortField = fc
  .tuple(some(["", "-"]), some(["status", "priority", "done", "owner.name", "due", "id", "generation"]))
  .map(([direction, field]) => `${direction}${field}`);

const query: fc.Arbitrary<Query> = fc.record(
  {
    filter,
    text: fc
      .array(some([...words, "run", "uber", "nothing"]), { minLength: 1, maxLength: 2 })
      .map((all) => all.join(" ")),
    match: some(["all", "any"] as const),
    sort: fc.array(sortField, { minLength: 1, maxLength: 3 }),
    limit: fc.integer({ min: 1, max: 5 }),
    includeClosed: fc.boolean(),
    sinceGeneration: fc.integer({ min: 0, max: 40 }),
  },
  { requiredKeys: [] },
);

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const expected = rarely(some(["current", "stale", "none"] as const));

const simple: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        id: fc.option(some(ids), { nil: undefined }),
        record,
        if: expected,
        operation: rarely(some(["o1", "o2"])),
      })
      .map((put) => ({ do: "put" as const, ...put })),
  },
  {
    weight: 2,
    arbitrary: fc.record({ id: some(ids), patch, if: expected }).map((one) => ({ do: "patch" as const, ...one })),
  },
  { weight: 2, arbitrary: fc.record({ do: some(["close", "reopen", "delete", "get"] as const), id: some(ids) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("query" as const), query }) },
);

const { nested } = fc.letrec<{ nested: Action }>((tie) => ({
  nested: fc.oneof(
    { maxDepth: 2 },
    { weight: 12, arbitrary: simple },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("transaction" as const),
        steps: fc.array(tie("nested"), { maxLength: 4 }),
        fails: fc.boolean(),
      }),
    },
  ),
}));

const step: fc.Arbitrary<Action> = fc.oneof(
  { weight: 10, arbitrary: nested },
  { weight: 2, arbitrary: simple.map((one) => ({ do: "elsewhere" as const, step: one })) },
);

/** A sequence of steps on one store. */
export const sequence: fc.Arbitrary<readonly Action[]> = fc.array(step, { minLength: 1, maxLength: 25, size: "max" });
