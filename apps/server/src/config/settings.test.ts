import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
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
