import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../command.fixture.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { configNames, findConfig, readConfig } from "./config-file.ts";

describe("findConfig", () => {
  test("takes the nearest file, upward", () => {
    const top = folder({ "toolpacks.config.yaml": "", "other.json": "{}" });
    const deep = path.join(top, "one/two");
    mkdirSync(deep, { recursive: true });
    expect(findConfig(deep)).toBe(path.join(top, "toolpacks.config.yaml"));
    expect(findConfig(folder())).toBeUndefined();
  });

  test("prefers jsonc, json, yaml, toml, in that order", () => {
    const all = folder(Object.fromEntries(configNames.map((name) => [name, ""])));
    expect(findConfig(all)).toBe(path.join(all, "toolpacks.config.jsonc"));
  });
});

describe("readConfig", () => {
  const same = { surface: "direct", expose: ["core"], packs: { filesystem: { write: true } } };
  test.each([
    ["jsonc", '// why\n{"surface":"direct","expose":["core",],"packs":{"filesystem":{"write":true}}}'],
    ["json", JSON.stringify(same)],
    ["yaml", "surface: direct\nexpose: [core]\npacks: { filesystem: { write: true } }\n"],
    ["toml", 'surface = "direct"\nexpose = ["core"]\npacks.filesystem.write = true\n'],
  ])("reads the same from %s", async (extension, text) => {
    const name = `toolpacks.config.${extension}`;
    const directory = folder({ [name]: text });
    expect(await readConfig(path.join(directory, name))).toEqual({
      path: path.join(directory, name),
      directory,
      config: same,
    });
  });

  test.each([
    ["empty.yaml", ""],
    ["comment.toml", "# nothing yet"],
    ["empty.jsonc", "{ /* nothing yet */ }"],
  ])("accepts %s, which sets nothing", async (name, text) => {
    expect((await readConfig(path.join(folder({ [name]: text }), name))).config).toEqual({});
  });

  const wrong: readonly (readonly [name: string, text: string, expected: RegExp])[] = [
    ["c.json", '{\n  "a": 1,\n  oops\n}', /c\.json:3:3: not valid JSON/],
    ["c.yaml", "a: [1\nb: 2", /c\.yaml:2:\d+: not valid YAML/],
    ["c.toml", "a = 1\nb = ", /c\.toml:2:\d+: not valid TOML/],
    ["c.ini", "a", /c\.ini: expected a \.jsonc, \.json, \.yaml or \.toml file/],
    ["c.yaml", "sdk: 3", /c\.yaml: sdk: expected 1, or expected 2/],
    ["c.yaml", "roots: here", /c\.yaml: roots: expected array, received string/],
    ["c.toml", 'readonly = true\nwrite = "yes"', /write: expected boolean.*did you mean readOnly\?/],
  ];
  test.each(wrong)("refuses %s holding %j", async (name, text, expected) => {
    const refusal = readConfig(path.join(folder({ [name]: text }), name));
    await expect(refusal).rejects.toBeInstanceOf(ConfigurationError);
    await expect(refusal).rejects.toThrow(expected);
  });
});
