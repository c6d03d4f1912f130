import { describe, expect, test } from "vitest";
import { folder, run, testIo } from "../run-cli.fixture.ts";
import { buildCallArguments, readCallArguments } from "./call-arguments.ts";

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
  return buildCallArguments(await readCallArguments(testIo().io, words), schema);
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

describe("toolpacks call", () => {
  const cwd = folder({ "a.txt": "one\ntwo\nthree\n", "args.json": '{"path":"a.txt"}' });
  const call = async (...args: readonly string[]) => run(["call", ...args, "--root", "."], { cwd });

  test("takes key=value pairs, with the types of the tool", async () => {
    expect(await call("fs_read", "path=a.txt")).toMatchObject({ code: 0, stdout: "one\ntwo\nthree\n" });
    const { stdout } = await call("store_put", "kind=note", "record.text=hello", "--json");
    const { id } = JSON.parse(stdout) as { id: string };
    const found = await call("store_query", "kind=note", "limit=1");
    expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining(id) as string });
  });

  test("takes JSON from a file or stdin", async () => {
    expect(await call("fs_read", "@args.json")).toMatchObject({ code: 0, stdout: "one\ntwo\nthree\n" });
    const { stdout } = await run(["call", "fs_read", "-", "--root", "."], { cwd, stdin: '{"path":"a.txt"}' });
    expect(stdout).toBe("one\ntwo\nthree\n");
  });

  test("names the nearest field for a wrong key", async () => {
    const wrong = await call("fs_read", "pth=a.txt");
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("pth: unknown field, did you mean path?") as string,
    });
  });

  test.each([
    [["README.md"], 'call: unexpected "README.md"; expected key=value such as path=README.md'],
    [["=x"], 'call: unexpected "=x"'],
    [["limit:=many"], "call: limit: expected JSON ("],
    [["@missing.json"], "call: missing.json: cannot be read (ENOENT"],
    [["{}", "@args.json"], "call: expected JSON, @file or - once, received 2"],
    [["[]", "path=a"], "call: expected a JSON object beside key=value"],
  ])("refuses %j", async (words, message) => {
    const { code, stderr } = await call("fs_read", ...words);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
