import path from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ConfigurationError } from "@toolpacks/core";
import { resolveSettings } from "../config/resolve-settings.ts";
import { folder, run } from "../run-cli.fixture.ts";
import { session } from "./trust.fixture.ts";

const json = JSON.stringify;
const entries = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");

const costly: readonly (readonly [name: string, extension: string, text: string, expected: string])[] = [
  ["a large file", "yaml", `# ${"x".repeat(300_000)}\n`, "larger than 262144 bytes; name the file with --config"],
  ["a large JSON file", "json", json({ packs: entries(130_000, false) }), "larger than 262144 bytes"],
  ["many servers", "json", json({ mcpServers: entries(10_000, {}) }), "mcpServers: expected at most 200 entries"],
  ["many packs", "yaml", `packs:\n${lines(16_000, (at) => ` k${at}: 1`)}`, "packs: expected at most 200 entries"],
  ["many workflows", "json", json({ workflows: entries(5_000, {}) }), "workflows: expected at most 1000 entries"],
  ["deep dotted keys", "toml", `[packs.x]\n${"a.".repeat(20_000)}b = 1\n`, "more than 100 levels"],
  ["deep arrays", "toml", `a = ${"[".repeat(100_000)}`, "not valid TOML"],
  ["deep JSON", "json", `{"packs":{"x":${'{"a":'.repeat(20_000)}1${"}".repeat(20_002)}`, "nested too deeply"],
  ["150 levels", "json", `{"packs":{"x":${'{"a":'.repeat(150)}1${"}".repeat(152)}`, "more than 100 levels"],
  ["many errors", "json", `{${'"a" '.repeat(60_000)}}`, "not valid JSON"],
  ["many YAML errors", "yaml", `[${",".repeat(260_000)}]`, "yaml:1:3: not valid YAML (UNEXPECTED_TOKEN)"],
  ["many YAML escapes", "yaml", `a: "${String.raw`\q`.repeat(130_000)}"`, "yaml:1:5: not valid YAML (BAD_DQ_ESCAPE)"],
  ["many YAML anchors", "yaml", "&a ".repeat(87_000), "yaml:1:4: not valid YAML (MULTIPLE_ANCHORS)"],
  [
    "aliases of aliases",
    "yaml",
    `packs:\n  x:\n    a: &a [${"x,".repeat(9_000)}]\n    b: [${"*a,".repeat(90)}]\n`,
    "more than 100000 values",
  ],
  ["an alias of itself", "yaml", "packs:\n  x: &a\n    again: *a\n", "more than 100 levels"],
  ["a key twice", "yaml", "write: false\nsurface: direct\nwrite: true\n", "yaml:3:1: not valid YAML (DUPLICATE_KEY)"],
  [
    "a map of YAML 1.1",
    "yaml",
    "%YAML 1.1\n---\npacks:\n  x:\n    a: !!set {b, c}\n",
    "packs.x.a: expected plain keys",
  ],
];

describe("an untrusted config file that is expensive to parse is refused with one line", () => {
  test.each(costly)("%s", async (...[, extension, text, expected]) => {
    const cwd = folder({ [`toolpacks.config.${extension}`]: text });
    const begin = performance.now();
    const error = await resolveSettings({}, {}, cwd).catch((one: unknown) => one as ConfigurationError);
    expect((error as ConfigurationError).problems).toEqual([expect.stringContaining(expected)]);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  test("under --watch, while the server keeps answering", async () => {
    const file = path.join(folder(), "toolpacks.config.yaml");
    writeFileSync(file, "watch: true\n");
    await run(["trust", "--yes"], { cwd: path.dirname(file) });
    const { stderr, call, end } = await session(["--root", "."], path.dirname(file));
    expect(await call("fs_list")).toContain("toolpacks.config.yaml");
    writeFileSync(file, `packs:\n${lines(40_000, (at) => ` k${at}: 1`)}`);
    await expect.poll(stderr, { timeout: 10_000 }).toContain("larger than 262144 bytes");
    expect(await call("fs_list")).toContain("toolpacks.config.yaml");
    await end();
  });
});
