import { describe, expect, test } from "vitest";
import { editText, type ConfigFormat } from "./config-text.ts";

const value = { command: "node", args: ["x"] };
const edit = (format: ConfigFormat, text: string, at: readonly string[]) =>
  editText({ file: "file", format, text }, [{ at, value }]);

describe("an added entry", () => {
  test("leaves the JSON beside it on its line, and takes its indentation and line breaks", () => {
    const text = '{\r\n\t"mcpServers": {\r\n\t\t"git": { "command": "uvx" }, // mine\r\n\t},\r\n}\r\n';
    expect(edit("json", text, ["mcpServers", "toolpacks"])).toBe(
      '{\r\n\t"mcpServers": {\r\n\t\t"git": { "command": "uvx" },\r\n\t\t"toolpacks": {\r\n\t\t\t"command": "node",' +
        '\r\n\t\t\t"args": [\r\n\t\t\t\t"x"\r\n\t\t\t]\r\n\t\t}, // mine\r\n\t},\r\n}\r\n',
    );
  });

  test.each(["", "{}", '{"mcpServers":{}}', '{ "mcpServers": { "g": {} }, "b": 2 }', "// c\n{\n}\n"])(
    "is valid in %j",
    (text) => {
      expect(edit("json", text, ["mcpServers", "toolpacks"])).toContain('"toolpacks": {\n');
    },
  );

  test.each([
    ["", "[mcp_servers.toolpacks]\n"],
    ["a = 1 # c", "a = 1 # c\n\n[mcp_servers.toolpacks]\n"],
    ["[mcp_servers.git]\ncommand = 'x'\r\n", "[mcp_servers.git]\ncommand = 'x'\r\n"],
    ["mcp_servers = { git = { command = 'x' } }\n", "mcp_servers = { git = { command = 'x' }, toolpacks = {"],
  ])("is valid in the TOML %j", (text, expected) => {
    expect(edit("toml", text, ["mcp_servers", "toolpacks"])).toContain(expected);
  });

  test.each([
    ["", "extensions:\n  toolpacks:\n"],
    ["extensions:\n", "extensions:\n  toolpacks:\n"],
    ["extensions: {} # none\nb: 1\n", "toolpacks: {"],
    ["extensions:\n    a: # c\n        b: 1\nz: 1\n", "    a:\n        # c\n        b: 1\n    toolpacks:\n"],
    ["---\na: 1\n...\n", "a: 1\nextensions:\n  toolpacks:\n"],
  ])("is valid in the YAML %j", (text, expected) => {
    expect(edit("yaml", text, ["extensions", "toolpacks"])).toContain(expected);
  });
});

test("an edit that would change another value is refused", () => {
  // Of two equal keys, clients read the last one, and the edit changes the first one.
  const text = '{ "mcpServers": { "a": {} }, "mcpServers": { "b": {} } }';
  expect(() => edit("json", text, ["mcpServers", "toolpacks"])).toThrow(
    "file: cannot be edited without changing other values",
  );
});

describe("a removed entry", () => {
  const removed = (format: ConfigFormat, text: string, at: readonly string[]) =>
    editText({ file: "file", format, text }, [{ at, value: undefined }]);

  test.each([
    [
      '{\n  "s": {\n    // the first\n    "a": { "b": 1 },\n    "c": {}\n  }\n}\n',
      '{\n  "s": {\n    "c": {}\n  }\n}\n',
    ],
    ['{ "s": { "a": {}, "c": {} } }', '{ "s": { "c": {} } }'],
    ['{ "s": { "c": {}, "a": {} } }', '{ "s": { "c": {} } }'],
    ['{ "s": { "a": {} } }', '{ "s": { } }'],
  ])("leaves the other lines of the JSON %j", (text, expected) => {
    expect(removed("json", text, ["s", "a"])).toBe(expected);
  });

  test.each([
    [
      "[s.c]\nx = 1 # one\n\n[s.a] # the first\ny = [\n  1,\n]\n[s.a.env]\nz = 2\n\n# last\n[t]\n",
      "[s.c]\nx = 1 # one\n\n# last\n[t]\n",
    ],
    ["[s.c]\r\nx = 1\r\n\r\n[s.a]\r\ny = 1\r\n", "[s.c]\r\nx = 1\r\n"],
    ["[s]\na = { y = 1 }\nc = { x = 1 } # one\n", "[s]\nc = { x = 1 } # one\n"],
  ])("leaves the other lines of the TOML %j", (text, expected) => {
    expect(removed("toml", text, ["s", "a"])).toBe(expected);
  });

  test.each([
    ["s:\n    a: # the first\n      b:   [1,2]\n    c:   {x: 1}   # one\n", "s:\n    c: { x: 1 } # one\n"],
    ["s:\n  c: { x: 1 }\n  a:\n    - 1\n# last\nt: 1\n", "s:\n  c: { x: 1 }\n# last\nt: 1\n"],
  ])("leaves the other values and comments of the YAML %j", (text, expected) => {
    expect(removed("yaml", text, ["s", "a"])).toBe(expected);
  });
});
