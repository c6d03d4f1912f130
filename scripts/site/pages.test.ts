import { parse as parseYaml } from "yaml";
import { expect, test } from "vitest";
import { run as runCommand } from "../../apps/server/src/run-cli.fixture.ts";
import { configSchema } from "../../apps/server/src/config/config-schema.ts";
import { parseJsonc } from "../../packages/settings/src/formats/parse-jsonc.ts";
import { blockLabel, pageBlocks } from "../readme/code-blocks.ts";

const blocks = pageBlocks();
const configs = blocks.filter(({ info }) => info.startsWith("[toolpacks.config."));

test.each(configs.map((block) => [blockLabel(block), block] as const))("the config of %s is valid", (_, block) => {
  const { language, text, file } = block;
  const value: unknown = language === "yaml" ? parseYaml(text) : parseJsonc(file, text);
  expect(configSchema.safeParse(value).error).toBeUndefined();
});

test("each JSON block of the site can be parsed", () => {
  const json = blocks.filter(({ language }) => /^jsonc?$/.test(language));
  expect(json.length).toBeGreaterThan(4);
  for (const block of json) expect(() => parseJsonc(blockLabel(block), block.text)).not.toThrow();
});

const commandLines = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ text }) => text.split("\n").filter((line) => /^(npx -y )?toolpacks /.test(line)));

test.each(commandLines)("the command line %s has a command and flags that exist", async (line) => {
  const words = line.replace(/^(npx -y )?toolpacks /, "").match(/"[^"]*"|\S+/g) ?? [];
  const flags = words.filter((word) => word.startsWith("--"));
  const end = words.findIndex((word) => word.startsWith("-"));
  const { code, stdout } = await runCommand([...words.slice(0, end < 0 ? undefined : end), "--help"]);
  expect(code).toBe(0);
  for (const flag of flags) expect(stdout).toContain(flag);
});
