import { describe, expect, onTestFinished, test } from "vitest";
import { compareFields } from "./compare-fields.ts";
import { valueDigest, type FieldValues } from "./field-values.ts";
import { isRateLimit } from "./tracker-error.ts";
import { createPlace } from "./sync.fixture.ts";
import type { SyncField } from "./tracker-mapping.ts";

/** A tracker with small pages by number, a tool for the status alone, and the id of each issue here in a label. */
const mapping = {
  refPrefix: "gh-",
  list: {
    tool: "list_issues",
    args: { perPage: 2 },
    items: "${result.issues}",
    next: "${size(result.issues) < 2 ? {} : {'after': string(page * 2)}}",
  },
  create: {
    tool: "issue_write",
    args: { method: "create" },
    fields: { title: { title: "${value}" } },
    ref: "${result.url.split('/')[6]}",
  },
  update: [
    {
      tool: "issue_write",
      args: { method: "update", issue_number: "${int(ref)}" },
      fields: { title: { title: "${value}" }, description: { body: "${value}" } },
    },
    {
      tool: "issue_write",
      args: { method: "update", issue_number: "${int(ref)}" },
      fields: { status: { state: "${value == 'CLOSED' ? 'closed' : 'open'}" } },
    },
  ],
  item: {
    ref: "${item.number}",
    title: "${item.title}",
    description: "${has(item.body) ? item.body : ''}",
    status: "${item.state}",
  },
  fields: ["title", "description", "status"],
  values: { status: { open: "OPEN", in_progress: "OPEN", closed: "CLOSED" } },
};

async function place(setting: object) {
  const made = await createPlace("SQLite", setting);
  onTestFinished(() => made.end());
  return made;
}

describe("a mapping in the config", () => {
  test("describes a tracker with other pages, several tools, and without a tool that reads one issue", async () => {
    const at = await place({ tracker: mapping, create: true });
    at.editThere(({ issues }) => {
      for (let number = 1; number <= 5; number += 1) issues.push({ number, title: `There ${number}`, state: "OPEN" });
    });
    const id = await at.addHere({ title: "Here", description: "why" });
    expect(await at.sync({ apply: true })).toMatchObject({
      report: { applied: { done: 6, failures: [] } },
    });
    // The description cannot be written by the tool that creates, so another call writes it.
    expect(at.there()[5]).toMatchObject({ title: "Here", body: "why" });
    await at.editHere(id, { status: "closed", title: "Done" });
    expect(await at.sync({ apply: true })).toMatchObject({ report: { changes: [{ fields: ["title", "status"] }] } });
    expect(at.there()[5]).toMatchObject({ title: "Done", state: "CLOSED" });
    expect((await at.sync()).report).toMatchObject({ changes: [], conflicts: [], notices: [] });
    expect(await at.here()).toHaveLength(6);
  });

  test.each([
    [
      "an expression that is none",
      { list: { ...mapping.list, items: "${result.}" } },
      /list\.items: \$\{result\.\} is not an expression/,
    ],
    ["items that are no list", { list: { ...mapping.list, items: "${result}" } }, /list\.items: expected a list/],
    ["pages without an end", { list: { ...mapping.list, next: "${{'after': '0'}}" } }, /the list does not end/],
    ["a missing field", { item: { ...mapping.item, title: "${item.name}" } }, /\$\{item\.name\}: item has no name/],
    ["an unknown key", { pages: 3 }, /servers\.tracker: .*pages/],
  ])("%s: the error names it, and nothing is changed", async (_, wrong, problem) => {
    const at = await place({ tracker: { ...mapping, ...wrong } });
    at.editThere(({ issues }) =>
      issues.push({ number: 1, title: "One", state: "OPEN" }, { number: 2, title: "Two", state: "OPEN" }),
    );
    expect((await at.sync({ apply: true })).text).toMatch(problem);
    expect(await at.here()).toEqual([]);
  });
});

test.each([
  "403 API rate limit exceeded for user [rate reset in 1m30s]",
  "You have exceeded a secondary rate limit. Please retry after 45",
  '{"error": "rate_limited", "retry_after": 1.5}',
  "tracker answered with HTTP 429: Too many requests",
  "quota exceeded, resets in 250ms",
])("a rate limit: %s", (text) => expect(isRateLimit(text)).toBe(true));

test.each(["404 Not Found: #429", "issue 429 does not exist", "502 Bad Gateway: retry after 5"])(
  "no rate limit: %s",
  (text) => expect(isRateLimit(text)).toBe(false),
);

describe("compareFields", () => {
  const digests = (values: FieldValues) =>
    Object.fromEntries(Object.entries(values).map(([field, value]) => [field, valueDigest(value)]));
  const compare = (here: string, there: string, base: { here?: string; there?: string }) =>
    compareFields({
      here: { title: here },
      there: { title: there },
      base: {
        here: base.here === undefined ? {} : digests({ title: base.here }),
        there: base.there === undefined ? {} : digests({ title: base.there }),
      },
      resolve: undefined,
    });
  const decided = (result: ReturnType<typeof compare>) =>
    Object.entries(result).flatMap(([what, fields]) => (Object.keys(fields as object).length > 0 ? [what] : []));

  test.each([
    ["nothing changed", "a", "a", { here: "a", there: "a" }, []],
    ["nothing changed, and the tracker has another form of it", "a", "A", { here: "a", there: "A" }, []],
    ["changed here", "b", "a", { here: "a", there: "a" }, ["writeThere"]],
    ["changed there", "a", "b", { here: "a", there: "a" }, ["writeHere"]],
    ["changed on both sides to the same", "b", "b", { here: "a", there: "a" }, ["agreed"]],
    ["changed on both sides", "b", "c", { here: "a", there: "a" }, ["conflicts"]],
    ["equal without a common state", "a", "a", {}, ["agreed"]],
    ["different without a common state", "a", "b", {}, ["conflicts"]],
  ] as const)("%s", (...[, here, there, base, expected]) => {
    expect(decided(compare(here, there, base))).toEqual(expected);
  });

  test("leaves out a field that one side does not have", () => {
    const field: SyncField = "labels";
    const base = { here: {}, there: {} };
    expect(decided(compareFields({ here: { [field]: ["a"] }, there: {}, base, resolve: undefined }))).toEqual([]);
  });
});
