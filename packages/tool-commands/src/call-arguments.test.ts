import { Readable } from "node:stream";
import { processIo } from "@toolpacks/terminal";
import { describe, expect, test } from "vitest";
import { buildCallArguments, readCallArguments } from "./call-arguments.ts";

const io = { ...processIo(), stdin: Readable.from([]) };

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer" },
    "a.b": { type: "string" },
    hidden: { type: "boolean" },
    kind: { enum: ["note", 7] },
    ids: { type: "array", items: { type: "string" } },
    numbers: { anyOf: [{ type: "array", items: { type: "number" } }, { type: "null" }] },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    where: { $ref: "#/$defs/where" },
    record: { type: "object", additionalProperties: {} },
    issues: {
      type: "array",
      items: { type: "object", properties: { title: { type: "string" }, labels: { type: "array" } } },
    },
  },
  $defs: { where: { type: "object", properties: { priority: { type: "number" }, next: { $ref: "#/$defs/where" } } } },
};

async function build(...words: readonly string[]): Promise<unknown> {
  return buildCallArguments(await readCallArguments(io, words), schema);
}

describe("the arguments of toolpacks call", () => {
  test.each<readonly [readonly string[], unknown]>([
    [[], {}],
    [["path=README.md"], { path: "README.md" }],
    [["path=a=b:=c"], { path: "a=b:=c" }],
    [["path=5", "limit=5"], { path: "5", limit: 5 }],
    [["limit=-2.5e3"], { limit: -2500 }],
    [["limit=many", "hidden=maybe"], { limit: "many", hidden: "maybe" }],
    [["hidden=true", "kind=7"], { hidden: true, kind: 7 }],
    [["ids=a"], { ids: ["a"] }],
    [["ids=a", "ids=5"], { ids: ["a", "5"] }],
    [["numbers=1", "numbers=2"], { numbers: [1, 2] }],
    [["numbers=[1,2]"], { numbers: [1, 2] }],
    [["numbers=null"], { numbers: null }],
    [["either=a"], { either: "a" }],
    [["either=a", "either=b"], { either: ["a", "b"] }],
    [["where.priority=1", "where.next.next.priority=2"], { where: { priority: 1, next: { next: { priority: 2 } } } }],
    [['where={"priority":3}'], { where: { priority: 3 } }],
    [["a.b=text"], { "a.b": "text" }],
    [
      ["issues.0.title=1", "issues.0.labels=x", "issues.1.title=b"],
      { issues: [{ title: "1", labels: ["x"] }, { title: "b" }] },
    ],
    [["record.text=x", "record.size=5"], { record: { text: "x", size: "5" } }],
    [['record:={"size":5}', "limit:=null"], { record: { size: 5 }, limit: null }],
    [
      ['{"path":"a","where":{"next":{}}}', "limit=1", "where.priority=2"],
      { path: "a", limit: 1, where: { next: {}, priority: 2 } },
    ],
  ])("%j", async (words, expected) => {
    expect(await build(...words)).toEqual(expected);
  });

  test("an index cannot leave a gap in a list", async () => {
    await expect(build("issues.0.title=a", "issues.9.title=b")).rejects.toThrow(
      "unexpected index 9; expected at most 1",
    );
  });

  test("a key cannot reach a prototype", async () => {
    const args = await build("__proto__.polluted=yes", "constructor.prototype.polluted=yes");
    expect(Object.keys(args as object)).toEqual(["__proto__", "constructor"]);
    expect({}).not.toHaveProperty("polluted");
  });
});
