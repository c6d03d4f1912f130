import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain } from "./explain.ts";
import { heldBy, isReady, readiness, type Held, type IssueFacts } from "./readiness.ts";

const now = "2026-06-01T00:00:00.000Z";
const later = "2026-06-02T00:00:00+02:00";
interface Fields extends Partial<IssueFacts> {
  readonly blockers?: Parameters<typeof heldBy>[0];
  readonly waits?: Parameters<typeof heldBy>[1];
}

const issue = ({ blockers = [], waits = [], ...facts }: Fields = {}) => ({
  id: "x",
  status: "open",
  ...facts,
  ...heldBy(blockers, waits),
  waits: waits.map(({ on }) => on),
});
const open = { id: "b", status: "hooked" };
const closed = { id: "c", status: "tombstone" };

const all = { on: "e", any: false };
const any = { on: "f", any: true };

const readinessOf = (one: ReturnType<typeof issue>, ancestors: readonly (IssueFacts & Held)[]) =>
  explain(one, { ...readiness(one, ancestors), waits: one.waits }, now);

describe("an issue is ready", () => {
  test.each([
    ["when it is open", issue(), []],
    ["when all its blockers are closed or deleted", issue({ blockers: [closed, { id: "d", status: "closed" }] }), []],
    [
      "under an ancestor without open blockers",
      issue(),
      [issue({ id: "a", status: "in_progress", blockers: [closed] })],
    ],
    [
      "under a closed ancestor, whatever blocks that",
      issue(),
      [issue({ id: "a", status: "closed", blockers: [open], defer_until: later })],
    ],
    ["when what blocks it is pinned, which is no work", issue({ blockers: [{ id: "p", status: "pinned" }] }), []],
    ["when no child that it waits for is open", issue({ waits: [{ ...all, hasOpen: false, hasClosed: true }] }), []],
    ["when one of any children is closed", issue({ waits: [{ ...any, hasOpen: true, hasClosed: true }] }), []],
    ["after its defer time", issue({ defer_until: "2026-05-31T23:59:59-00:00" }), []],
  ])("%s", (_, one, ancestors) => {
    expect(readinessOf(one, ancestors)).toEqual({ ready: true, reasons: ["open, and nothing holds it back"] });
  });
});

describe("an issue is not ready", () => {
  test.each([
    ["in another status", issue({ status: "in_progress" }), [], ["its status is in_progress"]],
    ["closed", issue({ status: "closed", blockers: [open] }), [], ["its status is closed"]],
    ["blocked", issue({ blockers: [open, closed] }), [], ["blocked by b"]],
    [
      "while it waits for children",
      issue({
        blockers: [open],
        waits: [
          { ...all, hasOpen: true, hasClosed: true },
          { ...any, hasOpen: true, hasClosed: false },
        ],
      }),
      [],
      ["blocked by b", "waits for the children of e, f"],
    ],
    ["under a blocked ancestor", issue(), [issue({ id: "a", blockers: [open] })], ["under a, blocked or deferred"]],
    [
      "under one whose status is blocked",
      issue(),
      [issue({ id: "a", status: "blocked" })],
      ["under a, blocked or deferred"],
    ],
    ["under a deferred ancestor", issue(), [issue({ id: "a", status: "deferred" })], ["under a, blocked or deferred"]],
    ["before its defer time", issue({ defer_until: later }), [], ["deferred until 2026-06-01T22:00:00.000Z"]],
    [
      "before an ancestor's time",
      issue(),
      [issue({ id: "a", defer_until: later })],
      ["deferred until 2026-06-01T22:00:00.000Z"],
    ],
    ["pinned and ephemeral", issue({ pinned: true, ephemeral: true }), [], ["pinned", "ephemeral"]],
  ] as const)("%s", (...[, one, ancestors, reasons]) => {
    expect(readinessOf(one, ancestors)).toEqual({ ready: false, reasons });
  });
});

const status = fc.constantFrom("open", "in_progress", "blocked", "deferred", "closed", "tombstone", "hooked");
const anyIssue = fc
  .record({
    id: fc.constantFrom("p", "q", "r", "s"),
    status,
    pinned: fc.boolean(),
    ephemeral: fc.option(fc.boolean(), { nil: undefined }),
    defer_until: fc.option(fc.constantFrom(later, "2020-01-01"), { nil: undefined }),
    blockers: fc.array(fc.record({ id: fc.constantFrom("t", "u", "v"), status })),
  })
  .map(issue);

test("more blockers and ancestors never make an issue ready", () => {
  fc.assert(
    fc.property(anyIssue, fc.array(anyIssue), anyIssue, (one, ancestors, more) => {
      const before = isReady(readiness(one, ancestors), now);
      const blocked = { ...one, blockers: [...one.blockers, ...more.blockers] };
      expect(!before && isReady(readiness(blocked, ancestors), now)).toBe(false);
      expect(!before && isReady(readiness(one, [...ancestors, more]), now)).toBe(false);
    }),
  );
});

test("an explanation has one reason for a ready issue, and at least one for any other", () => {
  fc.assert(
    fc.property(anyIssue, fc.array(anyIssue), (one, ancestors) => {
      const found = readiness(one, ancestors);
      const { ready, reasons } = explain(one, found, now);
      expect(ready).toBe(isReady(found, now));
      expect(reasons.length).toBeGreaterThan(0);
    }),
  );
});
