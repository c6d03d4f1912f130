import { parse as parseYaml } from "yaml";
import { expect, test } from "vitest";
import { configSchema } from "../../apps/server/src/config/config-schema.ts";
import { run } from "../../apps/server/src/run-cli.fixture.ts";
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
  .flatMap(({ text }) => text.split("\n").filter((line) => /^(npx -y )?toolpacks /.test(line)))
  .map((line) => line.replace(/^npx -y /, "").replace(/\s+#.*$/, ""));

test.each(commandLines)("%s has a command and flags that exist", async (line) => {
  const words = line.split(/\s+/).slice(1);
  const end = words.findIndex((word) => !/^[a-z][\w-]*$/.test(word));
  const named = words.slice(0, end < 0 ? undefined : end);
  const help = await run([...(named.length === 0 ? ["serve"] : named), "--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  // A flag such as --input.path sets a field of --input.
  for (const [flag] of (line.split(" -- ")[0] ?? "").matchAll(/(?<=\s)--[a-z-]+/g)) expect(help.stdout).toContain(flag);
});
