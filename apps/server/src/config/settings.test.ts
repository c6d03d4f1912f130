import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../command.fixture.ts";
import type { Flags, Settings } from "./settings.ts";
import { resolveSettings } from "./resolve-settings.ts";

type Name = Exclude<keyof Settings, "file" | "packs" | "warnings" | "protectedPaths">;

interface Case {
  readonly name: Name;
  readonly flags?: Flags;
  readonly environment?: Readonly<Record<string, string>>;
  /** The value in the config file. */
  readonly inFile: unknown;
  /** The resolved value from each source: flag, environment, file, default. */
  readonly values: readonly [flag: unknown, environment: unknown, file: unknown, fallback: unknown];
}

const cases: readonly Case[] = [
  {
    name: "expose",
    flags: { expose: ["a"] },
    environment: { TOOLPACKS_EXPOSE: "b, c," },
    inFile: ["d"],
    values: [["a"], ["b", "c"], ["d"], undefined],
  },
  {
    name: "logLevel",
    flags: { logLevel: "debug" },
    environment: { TOOLPACKS_LOG_LEVEL: "warn" },
    inFile: "error",
    values: ["debug", "warn", "error", "info"],
  },
  {
    name: "surface",
    flags: { surface: "auto" },
    environment: { TOOLPACKS_SURFACE: "two-tool" },
    inFile: "direct",
    values: ["auto", "two-tool", "direct", "discovery"],
  },
  { name: "deny", flags: { deny: ["a"] }, inFile: ["b"], values: [["a"], undefined, ["b"], []] },
  { name: "facet", flags: { facet: "a" }, inFile: "b", values: ["a", undefined, "b", undefined] },
  { name: "write", flags: { write: true }, inFile: true, values: [true, undefined, true, false] },
  { name: "readOnly", flags: { readOnly: true }, inFile: true, values: [true, undefined, true, false] },
  { name: "results", flags: { results: "text" }, inFile: "both", values: ["text", undefined, "both", undefined] },
  { name: "sdk", flags: { sdk: "1" }, inFile: 1, values: [1, undefined, 1, 2] },
  { name: "watch", flags: { watch: true }, inFile: true, values: [true, undefined, true, false] },
];

const fileOf = ({ name, inFile }: Case) => folder({ "toolpacks.config.json": JSON.stringify({ [name]: inFile }) });

describe.each(cases)("resolveSettings takes $name", (one) => {
  const { name, flags = {}, environment = {}, values } = one;
  const withFile = fileOf(one);
  const file = path.join(withFile, "toolpacks.config.json");
  const [flagValue, , fileValue, fallback] = values;

  test("from a flag before all else", async () => {
    expect((await resolveSettings(flags, environment, withFile))[name]).toMatchObject({
      value: flagValue,
      source: "flag",
    });
  });

  test("from the file before its default, naming file and key", async () => {
    const expected = { value: fileValue, source: "file", origin: `${file}: ${name}` };
    expect((await resolveSettings({ trust: true }, {}, withFile))[name]).toEqual(expected);
  });

  test("by default", async () => {
    expect((await resolveSettings({}, {}, folder()))[name]).toEqual({
      value: fallback,
      source: "default",
      origin: "default",
    });
  });
});

test.each(cases.filter(({ environment }) => environment !== undefined))(
  "resolveSettings takes $name from the environment before the file",
  async (one) => {
    const { name, environment = {}, values } = one;
    const expected = { value: values[1], source: "environment", origin: `$${Object.keys(environment)[0]}` };
    expect((await resolveSettings({}, environment, fileOf(one)))[name]).toEqual(expected);
  },
);

test("resolveSettings resolves relative roots of flags and of the environment in the current folder, and of the file in its folder", async () => {
  const directory = folder({ "toolpacks.config.yaml": "roots: [in-file]\n", "elsewhere.yaml": "roots: [there]\n" });
  const here = folder();
  const config = path.join(directory, "toolpacks.config.yaml");
  const environment = { TOOLPACKS_ROOTS: ["one", "/two"].join(path.delimiter) };
  const roots = async (flags: Flags, variables: Readonly<Record<string, string>>) =>
    (await resolveSettings({ config, ...flags }, variables, here)).roots.value;
  expect(await roots({ root: ["a", "/b"] }, environment)).toEqual([path.join(here, "a"), "/b"]);
  expect(await roots({}, environment)).toEqual([path.join(here, "one"), "/two"]);
  expect(await roots({}, {})).toEqual([path.join(directory, "in-file")]);
});

test("resolveSettings reads --config before $TOOLPACKS_CONFIG before the nearest file, and takes an empty variable as unset", async () => {
  const directory = folder({
    "toolpacks.config.json": '{"facet":"nearest"}',
    "a.json": '{"facet":"a"}',
    "b.json": '{"facet":"b"}',
  });
  const facet = async (flags: Flags, variables: Readonly<Record<string, string>>) =>
    (await resolveSettings(flags, variables, directory)).facet.value;
  expect(await facet({ config: "a.json" }, { TOOLPACKS_CONFIG: "b.json" })).toBe("a");
  expect(await facet({}, { TOOLPACKS_CONFIG: "b.json" })).toBe("b");
  expect(await facet({}, { TOOLPACKS_CONFIG: "" })).toBe("nearest");
  expect((await resolveSettings({}, { TOOLPACKS_EXPOSE: "", TOOLPACKS_ROOTS: "" }, folder())).expose.source).toBe(
    "default",
  );
});

test.each([
  [{ TOOLPACKS_LOG_LEVEL: "loud" }, "$TOOLPACKS_LOG_LEVEL: expected silent, error, warn, info, debug, received loud"],
  [{ TOOLPACKS_SURFACE: "flat" }, "$TOOLPACKS_SURFACE: expected direct, discovery, two-tool, auto, received flat"],
])("resolveSettings refuses %j, naming the variable", async (environment, message) => {
  await expect(resolveSettings({}, environment, folder())).rejects.toThrow(message);
});

describe("resolveSettings warns", () => {
  const warnings = async (environment: Readonly<Record<string, string>>, flags: Flags = {}, directory = folder()) =>
    (await resolveSettings(flags, environment, directory)).warnings;

  test("of an unknown variable, with the nearest known one", async () => {
    const environment = { TOOLPACKS_SURFCE: "direct", TOOLPACKS_MOON: "1", TOOLPACKS_MODEL_KEY: "k", OTHER: "1" };
    expect(await warnings(environment)).toEqual([
      "unknown variable $TOOLPACKS_SURFCE (did you mean $TOOLPACKS_SURFACE?)",
      "unknown variable $TOOLPACKS_MOON",
    ]);
  });

  test("not of variables that the config file or a profile of prompt cases names", async () => {
    const mcpServers = { git: { command: "git", env: { TOKEN: "${TOOLPACKS_GIT_TOKEN}" } } };
    const directory = folder({ "toolpacks.config.json": JSON.stringify({ mcpServers }) });
    const environment = { TOOLPACKS_GIT_TOKEN: "t", TOOLPACKS_LOCAL_BASE_URL: "http://localhost:1/v1" };
    expect(await warnings(environment, { trust: true }, directory)).toEqual([]);
  });

  test("of a misspelt pack that is turned off", async () => {
    const directory = folder({
      "toolpacks.config.json": '{"packs":{"filesytem":false,"memory":false,"./x.js":false}}',
    });
    const file = path.join(directory, "toolpacks.config.json");
    expect(await warnings({}, {}, directory)).toEqual([
      `${file}: packs.filesytem: no such pack (did you mean filesystem?)`,
    ]);
  });

  test("of a second config file in the folder, and says which is used", async () => {
    const directory = folder({ "toolpacks.config.yaml": "", "toolpacks.config.json": "{}" });
    expect(await warnings({}, {}, directory)).toEqual([
      `${directory} has several config files: toolpacks.config.json is used, and toolpacks.config.yaml ignored`,
    ]);
    expect(await warnings({}, { config: "toolpacks.config.yaml" }, directory)).toEqual([]);
  });
});

describe("settings that contradict each other", () => {
  const flagPairs: readonly (readonly [Flags, string])[] = [
    [
      { write: true, readOnly: true },
      "--write has no effect: --read-only refuses every tool that mutates; drop --write, or drop --read-only to use it",
    ],
    [
      { facet: "x", surface: "two-tool" },
      "--surface has no effect: --facet lists the tools of one pack directly; drop --surface, or",
    ],
    [{ facet: "x", expose: ["core"] }, "--expose has no effect: --facet lists the tools of one pack directly"],
    [{ facet: "x", deny: ["x"] }, "--facet has no effect: --deny denies x; drop --facet, or drop --deny to use it"],
    [{ expose: ["core", "x"], deny: ["x"] }, "x in --expose has no effect: --deny denies it"],
  ];
  test.each(flagPairs)("are refused as the flags %j", async (flags, message) => {
    await expect(resolveSettings(flags, {}, folder())).rejects.toThrow(message);
  });

  test("are refused from any source when nothing could be served", async () => {
    const directory = folder({ "toolpacks.config.json": '{"deny":["x"]}' });
    await expect(resolveSettings({ facet: "x", trust: true }, {}, directory)).rejects.toThrow(
      `--facet has no effect: ${path.join(directory, "toolpacks.config.json")}: deny denies x; drop --facet, or drop`,
    );
  });

  const overruling: readonly (readonly [Flags, object])[] = [
    [{ facet: "x" }, { expose: ["core"], surface: "two-tool" }],
    [{ readOnly: true }, { write: true }],
    [{ deny: ["x"] }, { expose: ["x"] }],
    [{ facet: "x", surface: "direct" }, {}],
  ];
  test.each(overruling)(
    "do not contradict each other when the flags %j override the file %j",
    async (flags, config) => {
      const directory = folder({ "toolpacks.config.json": JSON.stringify(config) });
      expect((await resolveSettings({ trust: true, ...flags }, {}, directory)).warnings).toEqual([]);
    },
  );

  test("cause a warning when the setting with higher precedence has no effect", async () => {
    const directory = folder({ "toolpacks.config.json": '{"facet":"x","readOnly":true}' });
    const { warnings } = await resolveSettings({ write: true }, { TOOLPACKS_SURFACE: "auto" }, directory);
    const file = path.join(directory, "toolpacks.config.json");
    expect(warnings).toEqual([
      `--write has no effect: ${file}: readOnly refuses every tool that mutates`,
      `$TOOLPACKS_SURFACE has no effect: ${file}: facet lists the tools of one pack directly`,
    ]);
  });
});
