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
    ["c.yaml", "sdk: 3", /c\.yaml:1:1: sdk: expected 1, or expected 2/],
    ["c.yaml", "roots: here", /c\.yaml:1:1: roots: expected array, received string/],
  ];
  test.each(wrong)("refuses %s holding %j", async (name, text, expected) => {
    const refusal = readConfig(path.join(folder({ [name]: text }), name));
    await expect(refusal).rejects.toBeInstanceOf(ConfigurationError);
    await expect(refusal).rejects.toThrow(expected);
  });

  const messages = {
    threshold: "relay.threshold: use relay.thresholdTokens, in tokens (a token is about 4 bytes)",
    page: "relay.page: expected at least 200",
    expose: "expose[1]: expected at least 1 character",
    unknown: "wite: unknown field, did you mean write?",
    pack: "packs.filesystem: expected boolean",
  };
  test.each<readonly [name: string, text: string, places: readonly string[]]>([
    [
      "c.jsonc",
      `{\n"relay": { // why\n  "threshold": 5,\n  "page": 3\n},\n"expose": [\n"core", "",\n],\n"wite": true, "packs":\n{\n  "filesystem": 3 } }`,
      ["3:3 threshold", "4:3 page", "7:9 expose", "9:1 unknown", "11:3 pack"],
    ],
    [
      "c.yaml",
      `relay: &relay\n  threshold: 5\n  page: 3\nexpose:\n- core\n- ""\nwite: true\npacks:\n  filesystem: 3\n`,
      ["2:3 threshold", "3:3 page", "6:3 expose", "7:1 unknown", "9:3 pack"],
    ],
    [
      "c.toml",
      `expose = [\n\n"core", ""]\nwite = true\nrelay = { threshold = 5, page = 3 }\n\n[packs]\nfilesystem = 3\n`,
      ["3:9 expose", "4:1 unknown", "5:11 threshold", "5:26 page", "8:1 pack"],
    ],
  ])("names every mistake in %s with its line and column", async (name, text, places) => {
    const file = path.join(folder({ [name]: text }), name);
    const error = await readConfig(file).catch((one: unknown) => one as ConfigurationError);
    const expected = places.map((place) => {
      const [at = "", message = ""] = place.split(" ");
      return expect.stringContaining(`${file}:${at}: ${messages[message as keyof typeof messages]}`) as string;
    });
    expect((error as ConfigurationError).problems).toEqual(expected);
  });
});
