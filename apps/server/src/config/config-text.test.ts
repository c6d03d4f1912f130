import path from "node:path";
import { expect, test } from "vitest";
import { folder } from "../command.fixture.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { readConfig } from "./config-file.ts";

const read = (name: string, text: string) => readConfig(path.join(folder({ [name]: text }), name));

test.each([
  ["c.json", '\uFEFF{"write":true}'],
  ["c.yaml", "\uFEFFwrite: true"],
  ["c.toml", "\uFEFFwrite = true"],
])("readConfig reads %s with a byte order mark, as some editors write it", async (name, text) => {
  expect((await read(name, text)).config).toEqual({ write: true });
});

test.each([
  ["c.yaml", "expose: *nowhere", /c\.yaml: not valid YAML \(Unresolved alias.*nowhere/],
  ["c.yaml", "- core", /c\.yaml: expected keys with values/],
  ["c.json", '"core"', /c\.json: expected keys with values/],
  ["c.json", "[".repeat(1_000_000), /c\.json: nested too deeply/],
  ["c.yaml", "[".repeat(10_000), /not valid YAML/],
  ["c.toml", `a = ${"[".repeat(100_000)}`, /not valid TOML/],
] as const)("readConfig refuses %s holding %.40j", async (name, text, expected) => {
  const refusal = read(name, text);
  await expect(refusal).rejects.toBeInstanceOf(ConfigurationError);
  await expect(refusal).rejects.toThrow(expected);
});
