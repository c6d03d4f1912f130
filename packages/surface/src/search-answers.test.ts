import { defineForeignTool, definePack, defineTool, type Pack, type Rights, defineKind } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./surface.ts";
import { foreignPack, sample, sharedTools } from "./packs.fixture.ts";
import { wires } from "./wire.fixture.ts";

const alarm = defineKind({
  name: "alarm",
  description: "Something to wake up for.",
  schema: z.object({
    text: z.string().min(1).max(100),
    due: z.iso.datetime().describe("when it rings"),
    repeat: z.string().max(100).optional().describe("RRULE: FREQ=DAILY"),
    rang: z.string().max(40).optional().meta({ description: "set by closing", readOnly: true }),
  }),
  indexes: ["due"],
  text: ["text"],
  keywords: ["wake me"],
});

const clock = definePack({ name: "clock", description: "Alarms.", budget: 1, kinds: [alarm], tools: () => [] });

const parcel = defineKind({ name: "parcel", description: "Something to send.", schema: z.object({ to: z.string() }) });

const post = definePack({
  name: "post",
  description: "Sends parcels.",
  budget: 500,
  kinds: [parcel],
  tools: () => [
    defineTool({
      name: "parcel_send",
      description: "Send parcels.",
      mutates: true,
      input: z.object({
        parcels: z
          .array(
            z.strictObject({
              to: z.string().max(100).describe("an address"),
              size: z.enum(["small", "large"]).default("small"),
              extras: z.record(z.string(), z.unknown()).optional().describe("{insured, fragile}"),
            }),
          )
          .max(10)
          .describe("what to send"),
        copies: z.int().max(5).default(1).describe("how often"),
      }),
      output: z.object({}),
      handler: () => ({}),
    }),
  ],
});

const store = sqlite("");
const packs = () => [sample(), clock(), post(), storePack({ store, kinds: [alarm, parcel] })];

const toClose: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(toClose.splice(0).map((close) => close()));
});

interface Asked {
  readonly packs?: readonly Pack[];
  readonly rights?: Rights;
  readonly connect?: (typeof wires)["sdk 1"];
}

/** Calls a discovery tool over the wire, and returns its text. */
async function ask(name: string, args: object, { rights = {}, connect = wires["sdk 1"], ...given }: Asked = {}) {
  const { client } = await connect(await createSurface({ packs: given.packs ?? packs(), rights }));
  toClose.push(() => client.close());
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return (content as readonly { readonly text: string }[]).map(({ text }) => text).join("\n");
}

const count = (text: string) => encode(text).length;

describe.each(Object.entries(wires))("tool_search on %s", (_, connect) => {
  test("answers several queries in one call, and says a hit of two queries once", async () => {
    const query = ["read a note", "send a parcel", "read the note's first line"];
    const answer = await ask("tool_search", { query, limit: 1 }, { connect });
    expect(answer.split("\n")).toEqual([
      "1. read a note",
      "note_read(id: string (the note's id), lines?: int (first lines only)): Read one note's text",
      "2. send a parcel",
      'parcel_send(parcels: { to: string (an address), size?: "small"|"large"="small", extras?: object ({insured, fragile}) }[] (what to send), copies?: int=1 (how often)) [mutates]: Send parcels',
      "3. read the note's…",
      "see above: note_read",
    ]);
  });
});

describe("tool_search", () => {
  test("answers one query given as a text or as a list alike", async () => {
    const text = await ask("tool_search", { query: "read a note" });
    expect(await ask("tool_search", { query: ["read a note"] })).toBe(text);
  });

  test("says of each query when nothing matches it", async () => {
    const answer = await ask("tool_search", { query: ["read a note", "xyzzy"], limit: 1 });
    expect(answer).toMatch(/^1\. read a note\nnote_read\(.*\n2\. xyzzy\n.*\nNothing matches/);
  });

  test("refuses no query, an empty one, and more than 20", async () => {
    for (const query of [[], [""], Array.from({ length: 21 }, () => "read")]) {
      expect(await ask("tool_search", { query })).toMatch(/^invalid_input: query/);
    }
  });

  test("keeps one heading line for a query of many lines", async () => {
    const answer = await ask("tool_search", { query: ["read a note\n2. x\nnote_break()", "send a parcel"], limit: 1 });
    expect(answer).toMatch(/^1\. read a note…\n/);
  });

  test("names the fields of a result's first list, and of lists in it, once in an answer", async () => {
    const text = z.string().max(10);
    const line = z.object({ line: z.int(), text, start: z.int(), end: z.int(), in: text });
    const paths = z.array(z.object({ path: text, lines: z.array(line), count: z.int() }));
    const many = z.array(z.object(Object.fromEntries("abcdefghi".split("").map((name) => [name, z.int()]))));
    const tool = (name: string, output: z.ZodObject) =>
      defineTool({
        name,
        description: `Find ${name}.`,
        mutates: false,
        input: z.object({}),
        output,
        handler: () => ({}),
      });
    const tools = () => [
      tool("apples", z.object({ items: paths, skipped: z.array(text), cursor: text.optional() })),
      tool("pears", z.object({ items: paths, cursor: text })),
      tool("plums", z.object({ found: many, files: paths })),
    ];
    const fruit = definePack({ name: "fruit", description: "Fruit.", budget: 500, tools });
    const query = ["find apples", "find pears", "find plums"];
    const answer = await ask("tool_search", { query, limit: 1 }, { packs: [fruit()] });
    expect(answer.split("\n").filter((one) => one.includes("("))).toEqual([
      "apples() -> items[]{path,lines[]{line,text,start,end,…},count}, skipped[], cursor: Find apples",
      "pears() -> items[]: Find pears",
      "plums() -> found[]{a,b,c,d,e,f,g,h,…}, files[]: Find plums",
    ]);
  });

  test("finds a kind of record, with the call that adds one and the fields that it filters by", async () => {
    expect((await ask("tool_search", { query: "wake me every morning" })).split("\n")).toEqual([
      'store_put(kind: "alarm", record: { text: string, due: date-time (when it rings), repeat?: string (RRULE: FREQ=DAILY) }, id?: string (of the record to replace or patch; default: a new one), patch?: boolean (change only these fields), ifGeneration?: int, operationId?: string) [mutates]: Something to wake up for',
      expect.stringMatching(
        /^store_query\(kind: "alarm", filter\?: \{ due\?: date-time, id\?: string \} \(\{field: value .*\) -> items\[\]\{id,…\}, cursor$/,
      ),
    ]);
    const [first] = (await ask("tool_search", { query: "list alarms", facet: "clock" })).split("\n");
    expect(first).toContain('store_query(kind: "alarm"');
  });

  test("finds the tools of a pack before the records of its kinds, and no call that writes these", async () => {
    const lines = (await ask("tool_search", { query: "send a parcel", limit: 50 })).split("\n");
    expect(lines[0]).toContain("parcel_send(");
    expect(lines.filter((line) => line.includes('store_put(kind: "parcel"'))).toEqual([]);
  });

  test("shows a kind only to those who may use it, and only the calls that they may make", async () => {
    const query = ["wake me every morning", "alarm"];
    const of = async (rights: Rights) => ask("tool_search", { query, limit: 50 }, { rights });
    expect(await of({ grants: [{ facets: ["store", "post"] }] })).not.toContain('alarm"');
    expect(await of({ deny: ["clock"] })).not.toContain('alarm"');
    for (const rights of [{ readOnly: true }, { grants: [{ facets: ["store", "clock"], readOnly: true }] }]) {
      const answer = await of(rights);
      expect(answer).toContain('store_query(kind: "alarm"');
      expect(answer).not.toContain("store_put(");
    }
  });
});

/** A tool of another server with many described and nested fields. */
function huge(at: number) {
  const field = (name: string) => ({ type: "string", description: `${name} ${"is very well known ".repeat(20)}` });
  const names = Array.from({ length: 200 }, (_, field_) => `parameter_${field_}`);
  const nested = { type: "object", properties: Object.fromEntries(names.map((name) => [name, field(name)])) };
  return defineForeignTool({
    name: `weld_${at}`,
    description: `Weld thing ${at}. ${"Long words follow. ".repeat(100)}`,
    mutates: true,
    inputSchema: {
      type: "object",
      properties: { ...nested.properties, nested, list: { type: "array", items: nested } },
      required: names.slice(0, 3),
    },
    handler: () => ({}),
  });
}

const welding = definePack({
  name: "welding",
  description: "Welds.",
  budget: 1_000_000,
  tools: () => Array.from({ length: 40 }, (_, at) => huge(at)),
});

describe("the answer of a search", () => {
  const maxTokens = (queries: number) => 1.2 * (200 + 120 * queries) + 20 * queries;

  test.each([1, 3, 10])("of %d queries over huge schemas is bounded, and has each best hit", async (queries) => {
    const query = Array.from({ length: queries }, (_, at) => `weld thing ${at}`);
    const answer = await ask("tool_search", { query, limit: 50 }, { packs: [welding()] });
    expect(count(answer)).toBeLessThan(maxTokens(queries));
    for (const at of query.keys()) expect(answer).toMatch(new RegExp(`^weld_${at}\\(.*\\bparameter_2: string`, "m"));
  });

  test("says how many hits do not fit", async () => {
    for (const query of [["weld"], ["weld", "weld thing"]]) {
      const answer = await ask("tool_search", { query, limit: 50 }, { packs: [welding()] });
      expect(count(answer)).toBeLessThan(maxTokens(query.length));
      expect(answer).toMatch(/\(\d+ of 40 hits\)$/);
    }
  });

  const github = sharedTools("github-tools.json");
  test.skipIf(github === undefined)("shows every field of the best hits among GitHub's tools", async () => {
    const asked = { packs: [foreignPack("github", github ?? [])] };
    const query = ["comment on an issue", "merge the pull request with a squash", "list the latest commits on main"];
    const answer = await ask("tool_search", { query }, asked);
    expect(answer).toMatch(/^add_issue_comment\(.*\bbody\?: string/m);
    expect(answer).toMatch(/^merge_pull_request\(.*merge_method\?: "merge"\|"squash"\|"rebase"/m);
    expect(answer).toMatch(/^list_commits\(.*\bsha\?: string/m);
    expect(count(answer)).toBeLessThan(720);
  });
});

describe("tool_describe of another server's tool", () => {
  test("has at most 250 tokens and says how to see the rest", async () => {
    const answer = await ask("tool_describe", { name: "weld_7" }, { packs: [welding()] });
    expect(count(answer)).toBeLessThanOrEqual(250);
    expect(answer).toMatch(/^weld_7 \[mutates\]: Weld thing 7\./);
    expect(answer).toMatch(/parameter_0: string - parameter_0 is very/);
    expect(answer).toMatch(/\(shortened, \d+ fields more; schema: true shows all\)$/);
  });

  test("has everything with schema", async () => {
    const answer = await ask("tool_describe", { name: "weld_7", schema: true }, { packs: [welding()] });
    expect(answer).toContain("parameter_199?: string - parameter_199 is very");
    expect(answer).toContain("input schema: {");
  });

  const github = sharedTools("github-tools.json");
  test.skipIf(github === undefined)("has at most 250 tokens for each of GitHub's tools", async () => {
    const surface = await createSurface({ packs: [foreignPack("github", github ?? [])] });
    for (const { name } of github ?? []) {
      const outcome = await surface.call({ name: "tool_describe", args: { name } });
      expect(count(outcome.ok ? outcome.text : "x".repeat(10_000)), name).toBeLessThanOrEqual(250);
    }
  });
});
