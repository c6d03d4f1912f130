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
    ["extensions:\n    a: # c\n        b: 1\nz: 1\n", "extensions:\n    a: # c\n        b: 1\n    toolpacks:\n"],
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
