import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

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
