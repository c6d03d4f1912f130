import { parse as parseYaml } from "yaml";
import { expect, test } from "vitest";
import { createProgram } from "../../apps/server/src/command-line/show-help.ts";
import { processIo } from "../../apps/server/src/io.ts";
import { configSchema } from "../../apps/server/src/config/config-schema.ts";
import { parseJsonc } from "../../apps/server/src/config/parse-jsonc.ts";
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

test.each(commandLines)("the command line %s has a command and flags that exist", (line) => {
  const [name = "", ...words] = line.replace(/^(npx -y )?toolpacks /, "").split(/\s+/);
  const command = createProgram(processIo()).commands.find((each) => each.name() === name);
  expect(command, name).toBeDefined();
  const inner = command!.commands.find((each) => each.name() === words[0]) ?? command!;
  const flags = new Set(inner.options.map(({ long }) => long));
  for (const flag of words.filter((word) => word.startsWith("--"))) expect(flags).toContain(flag);
});
