import { describe, expect, test } from "vitest";
import { checkIds, readCaseFile } from "./case-file.ts";

const prompt = "Say hello.";
const withFields = (fields: string) => `---\n${fields}\n---\n\n${prompt}\n`;

describe("readCaseFile", () => {
  test("reads the expectations, and the prompt below them", () => {
    const text = withFields(
      [
        "id: first",
        "tool_calls:",
        "  - { tool_name: fetch_page, opaque_id_result: true, allow_multiple: 2 }",
        "  - { tool_name: write_drive, args: { path: a.md } }",
        "forbidden_tools: [deep_check]",
        "max_tokens: 400",
        "answer_matches: [hello, /World$/]",
      ].join("\n"),
    );
    const { expectation, ...rest } = readCaseFile(text, "cases/one.md");
    expect(rest).toEqual({ file: "cases/one.md", id: "first", prompt });
    expect(expectation).toMatchObject({
      tool_calls: [
        { tool_name: "fetch_page", opaque_id_result: true, allow_multiple: 2 },
        { tool_name: "write_drive", allow_multiple: false, args: { path: "a.md" } },
      ],
      forbidden_tools: ["deep_check"],
      max_tokens: 400,
      answer_matches: [{ written: "hello" }, { written: "/World$/" }],
    });
  });

  test("reads a file without front matter as a prompt", () => {
    expect(readCaseFile(`${prompt}\n\n---\n\nAnd more.\n`, "x/just-ask.md")).toEqual({
      file: "x/just-ask.md",
      id: "just-ask",
      prompt: `${prompt}\n\n---\n\nAnd more.`,
    });
  });

  test("reads CRLF and a byte order mark", () => {
    const text = `\uFEFF${withFields("id: first\ntool_calls: []")}`.replaceAll("\n", "\r\n");
    expect(readCaseFile(text, "a.md")).toMatchObject({ id: "first", prompt, expectation: { tool_calls: [] } });
  });

  test.each([
    ["an unknown field", "forbiden_tools: [x]", "forbiden_tools: unknown field, did you mean forbidden_tools?"],
    [
      "an unknown field of a call",
      "tool_calls: [{ tool_name: a, opaque_result: true }]",
      "tool_calls[0].opaque_result: unknown field (accepted: tool_name, opaque_id_input, opaque_id_result, allow_multiple, args)",
    ],
    ["a call without a tool", "tool_calls: [{ args: {} }]", "tool_calls[0].tool_name: required, expected string"],
    ["a wrong type", "max_tokens: many", "max_tokens: expected number, received string"],
    ["a number out of range", "max_tokens: 0", "max_tokens: expected at least 1"],
    [
      "an invalid allow_multiple",
      "tool_calls: [{ tool_name: a, allow_multiple: often }]",
      "tool_calls[0].allow_multiple: expected boolean",
    ],
    [
      "counts that contradict each other",
      "tool_calls: [{ tool_name: a, allow_multiple: { at_least: 3, at_most: 2 } }]",
      "tool_calls[0].allow_multiple: at_most: expected at least at_least",
    ],
    ["no regular expression", "answer_matches: '(['", "answer_matches: expected a regular expression ("],
    [
      "a tool that is wanted and forbidden",
      "tool_calls: [{ tool_name: a }]\nforbidden_tools: [a]",
      "tool_calls[0].tool_name: expected a tool that is not in forbidden_tools; a is",
    ],
    [
      "no regular expression among the arguments",
      "args: { a: { path: [/x(/] } }",
      "args.a: /x(/: expected a regular expression (",
    ],
    ["no fields at all", "just words", "front matter: expected fields (id, tool_calls, forbidden_tools, max_tokens"],
    ["a large front matter", `id: [${",".repeat(70_000)}`, "front matter: expected at most 65536 characters"],
  ])("names the file, the field and the accepted values for %s", (_, fields, message) => {
    expect(() => readCaseFile(withFields(fields), "cases/bad.md")).toThrow(`cases/bad.md: ${message}`);
  });

  test.each([
    ["an open list", "id: ["],
    ["many errors", `id: [${",".repeat(65_000)}`],
    ["many keys, one of them twice", `${Array.from({ length: 5_000 }, (__, at) => `k${at}: 1\n`).join("")}k0: 1`],
  ])("names the line of %s in a moment", (_, fields) => {
    const started = performance.now();
    expect(() => readCaseFile(withFields(fields), "a.md")).toThrow(/^a\.md:\d+:\d+: not valid YAML \(/);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("refuses front matter that does not end, and a case without a prompt", () => {
    expect(() => readCaseFile("---\nid: a\n\nSay hello.", "a.md")).toThrow(
      "a.md: front matter: expected a line of ---",
    );
    expect(() => readCaseFile("---\nid: a\n---\n\n", "a.md")).toThrow("a.md: expected a prompt below the front matter");
  });
});

test("checkIds names both files with the same id", () => {
  const one = readCaseFile(withFields("id: same"), "a.md");
  const other = readCaseFile(withFields("id: same"), "b.md");
  expect(() => checkIds([one, other])).toThrow("b.md: id: expected a unique id; a.md has the id same too");
});
