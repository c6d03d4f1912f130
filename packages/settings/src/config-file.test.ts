import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { configNames, findConfig, readConfig } from "./config-file.ts";
import { ConfigurationError } from "@toolpacks/core";
import { folder, notesConfig } from "./notes-config.fixture.ts";

const read = (name: string, text: string) => readConfig(notesConfig, path.join(folder({ [name]: text }), name));

describe("findConfig", () => {
  test("takes the nearest file, upward", () => {
    const top = folder({ "notes.config.yaml": "", "other.json": "{}" });
    const deep = path.join(top, "one/two");
    mkdirSync(deep, { recursive: true });
    expect(findConfig("notes", deep)).toBe(path.join(top, "notes.config.yaml"));
    expect(findConfig("notes", folder())).toBeUndefined();
  });

  test("prefers jsonc, json, yaml, toml, in that order", () => {
    const all = folder(Object.fromEntries(configNames("notes").map((name) => [name, ""])));
    expect(findConfig("notes", all)).toBe(path.join(all, "notes.config.jsonc"));
  });
});

describe("readConfig", () => {
  const same = { logLevel: "silent", tags: ["core"], servers: { git: { write: true } } };
  test.each([
    ["jsonc", '// why\n{"logLevel":"silent","tags":["core",],"servers":{"git":{"write":true}}}'],
    ["json", `\uFEFF${JSON.stringify(same)}`],
    ["yaml", "\uFEFFlogLevel: silent\ntags: [core]\nservers: { git: { write: true } }\n"],
    ["toml", '\uFEFFlogLevel = "silent"\ntags = ["core"]\nservers.git.write = true\n'],
  ])("reads the same from %s, also with a byte order mark", async (extension, text) => {
    const name = `notes.config.${extension}`;
    const directory = folder({ [name]: text });
    const file = path.join(directory, name);
    expect(await readConfig(notesConfig, file)).toEqual({ path: file, directory, config: same });
  });

  test.each([
    ["empty.yaml", ""],
    ["comment.toml", "# nothing yet"],
    ["empty.jsonc", "{ /* nothing yet */ }"],
  ])("accepts %s, which sets nothing", async (name, text) => {
    expect((await read(name, text)).config).toEqual({});
  });

  test.each<readonly [name: string, text: string, expected: RegExp]>([
    ["c.json", '{\n  "a": 1,\n  oops\n}', /c\.json:3:3: not valid JSON/],
    ["c.yaml", "a: [1\nb: 2", /c\.yaml:2:\d+: not valid YAML/],
    ["c.yaml", "tags: *nowhere", /c\.yaml: not valid YAML \(Unresolved alias.*nowhere/],
    ["c.toml", "a = 1\nb = ", /c\.toml:2:\d+: not valid TOML/],
    ["c.ini", "a", /c\.ini: expected a \.jsonc, \.json, \.yaml or \.toml file/],
    ["c.yaml", "- core", /c\.yaml: expected keys with values/],
    ["c.json", '"core"', /c\.json: expected keys with values/],
    ["c.json", "[".repeat(1_000_000), /c\.json: nested too deeply/],
    ["c.yaml", "mode: 3", /c\.yaml:1:1: mode: expected 1, or expected 2/],
    ["c.yaml", "tags: here", /c\.yaml:1:1: tags: expected array, received string/],
    [
      "c.json",
      '{"servers":{"x":{"__proto__":{"url":"u"}}}}',
      /c\.json: servers\.x\.__proto__: this key is not allowed/,
    ],
    ["c.jsonc", '{"__proto__":{"write":true}}', /__proto__: this key is not allowed/],
    ["c.yaml", 'servers:\n  x:\n    "__proto__": {url: u}', /servers\.x\.__proto__: this key is not allowed/],
    ["c.toml", '[servers.x.__proto__]\nurl = "u"', /servers\.x\.__proto__: this key is not allowed/],
  ])("refuses %s holding %.40j", async (name, text, expected) => {
    const refusal = read(name, text);
    await expect(refusal).rejects.toBeInstanceOf(ConfigurationError);
    await expect(refusal).rejects.toThrow(expected);
  });

  const messages = {
    bytes: "limits.bytes: expected at least 200",
    tags: "tags[1]: expected at least 1 character",
    unknown: "wite: unknown field, did you mean write?",
    server: "servers.git: expected boolean",
  };
  test.each<readonly [name: string, text: string, places: readonly string[]]>([
    [
      "c.jsonc",
      `{\n"limits": { // why\n  "items": 5,\n  "bytes": 3\n},\n"tags": [\n"core", "",\n],\n"wite": true, "servers":\n{\n  "git": 3 } }`,
      ["4:3 bytes", "7:9 tags", "9:1 unknown", "11:3 server"],
    ],
    [
      "c.yaml",
      `limits: &limits\n  items: 5\n  bytes: 3\ntags:\n- core\n- ""\nwite: true\nservers:\n  git: 3\n`,
      ["3:3 bytes", "6:3 tags", "7:1 unknown", "9:3 server"],
    ],
  ])("names every mistake in %s with its line and column", async (name, text, places) => {
    const file = path.join(folder({ [name]: text }), name);
    const error = await readConfig(notesConfig, file).catch((one: unknown) => one as ConfigurationError);
    const expected = places.map((place) => {
      const [at = "", message = ""] = place.split(" ");
      const text = messages[message as keyof typeof messages] ?? "";
      return expect.stringContaining(`${file}:${at}: ${text}`) as string;
    });
    expect((error as ConfigurationError).problems).toEqual(expected);
  });

  test("names every mistake in TOML by its key", async () => {
    const file = path.join(folder({ "c.toml": "[limits]\nbytes = 3\n" }), "c.toml");
    await expect(readConfig(notesConfig, file)).rejects.toThrow(`${file}: ${messages.bytes}`);
  });
});
