import * as fc from "fast-check";
import type { Conversation } from "./conversation.fixture.ts";

/** A tool call. Numbers select its issues from the existing ones. */
export interface Operation {
  readonly name: string;
  readonly on: readonly number[];
  readonly args: (ids: readonly string[]) => unknown;
}

const numbers = fc.array(fc.nat(), { minLength: 3, maxLength: 3 });
const moment = fc.constantFrom("2020-01-01T00:00:00Z", "2100-01-01T00:00:00+01:00", "2099-05-05");
const relation = fc.constantFrom(
  "blocks",
  "blocks",
  "blocks",
  "conditional-blocks",
  "waits-for",
  "waits-for",
  "parent-child",
  "parent-child",
  "related",
);
const status = fc.constantFrom("open", "in_progress", "blocked", "deferred", "closed", "hooked");
const set = fc.oneof(
  fc.record({ status }),
  fc.record({ defer_until: fc.option(moment) }),
  fc.record({ pinned: fc.boolean() }),
  fc.constantFrom(
    { issue_type: "gate" },
    { issue_type: "gate", await_type: "timer", await_until: "2099-05-05T00:00:00Z" },
    { issue_type: "task", await_type: null, await_until: null },
  ),
  fc.record({ ephemeral: fc.option(fc.boolean()) }),
  fc.record({ priority: fc.integer({ min: 0, max: 4 }), status }),
);

type Make<T> = (ids: readonly string[], drawn: T) => unknown;

function operation<T>(name: string, drawn: fc.Arbitrary<T>, args: Make<T>): fc.Arbitrary<Operation> {
  return fc.record({ on: numbers, drawn }).map((one) => ({
    name,
    on: one.on,
    args: (ids: readonly string[]) => args(ids, one.drawn),
  }));
}

const actor = fc.constantFrom("ann", "ben");
const nothing = fc.constant(undefined);

/** Random calls of issue tools and store tools. Many of them are rejected. */
export const randomOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 3,
    arbitrary: operation(
      "issue_create",
      fc.tuple(relation, fc.integer({ min: 0, max: 4 })),
      ([a, b], [type, priority]) => ({
        issues: [{ title: "new", priority, depends: [`${type}:${a}`, `related:${b}`] }],
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: operation("issue_create", nothing, ([a, b]) => ({
      issues: [
        { title: "epic", issue_type: "epic", parent: a },
        { title: "child", parent: "#1", depends: [b] },
      ],
    })),
  },
  {
    weight: 3,
    arbitrary: operation("issue_close", fc.boolean(), ([a, b], both) => ({ ids: both ? [a, b] : [a], reason: "done" })),
  },
  { weight: 3, arbitrary: operation("issue_reopen", nothing, ([a]) => ({ ids: [a] })) },
  { weight: 4, arbitrary: operation("issue_update", set, ([a], fields) => ({ ids: [a], set: fields })) },
  {
    weight: 4,
    arbitrary: operation(
      "issue_depend",
      fc.tuple(relation, fc.boolean(), fc.boolean()),
      ([a, b], [type, remove, any]) => ({
        id: a,
        on: b,
        ...(remove ? { remove } : { type, ...(type === "waits-for" && { any }) }),
      }),
    ),
  },
  { weight: 1, arbitrary: operation("issue_claim", actor, ([a], who) => ({ id: a, actor: who })) },
  { weight: 1, arbitrary: operation("issue_claim", actor, (_, who) => ({ actor: who })) },
  { weight: 1, arbitrary: operation("issue_release", actor, ([a], who) => ({ id: a, actor: who })) },
  {
    weight: 2,
    arbitrary: operation("store_put", set, ([a], record) => ({ kind: "issue", id: a, record, patch: true })),
  },
  {
    weight: 1,
    arbitrary: operation("store_put", relation, ([a], type) => ({
      kind: "issue",
      record: { title: "put", dependencies: [{ depends_on_id: a, type }], graph: { state: "ready" } },
    })),
  },
  { weight: 1, arbitrary: operation("store_close", nothing, ([a]) => ({ kind: "issue", id: a, note: "over" })) },
  {
    weight: 1,
    arbitrary: operation("store_put", relation, ([a, b], type) => ({
      kind: "issue",
      id: a,
      record: { title: "replaced", dependencies: [{ depends_on_id: b, type }] },
    })),
  },
);

/** Failures that a caller can cause. Any other failure is a bug. */
const expected = new Set(["conflict", "invalid_input", "not_found"]);

/** Performs an operation, and adds the ids of the created issues to `ids`. */
export async function perform({ call }: Conversation, { name, on, args }: Operation, ids: string[]): Promise<boolean> {
  // Half of the numbers select new issues, so that these get dependencies too.
  const near = (number: number) => (number % 2 === 0 ? number : ids.length - 1 - (number % Math.min(ids.length, 40)));
  const outcome = await call(name, args(on.map((number) => ids[near(number) % ids.length] ?? "")));
  if (!outcome.ok) {
    if (expected.has(outcome.failure.code)) return false;
    throw new Error(`${name}: ${outcome.failure.code}: ${outcome.failure.message}`);
  }
  const made = outcome.value ?? {};
  const items = Array.isArray(made["items"]) ? (made["items"] as readonly { readonly id: string }[]) : [];
  const known = new Set(ids);
  const added = [...items.map(({ id }) => id), ...(typeof made["id"] === "string" ? [made["id"]] : [])];
  ids.push(...added.filter((id) => !known.has(id)));
  return true;
}
