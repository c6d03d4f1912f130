import { statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { run } from "../command.process.fixture.ts";
import { folder } from "../run-cli.fixture.ts";

const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

test("ranks by the model, with meaning: minilm, and keeps its vectors for the next process", async () => {
  const catalog = [
    { name: "stir_soup", description: "Counts the stripes of zebras." },
    { name: "clinic_hours", description: "When doctors are at the hospital." },
  ];
  const cwd = folder({ tools: lines(catalog), "toolpacks.config.json": '{"meaning":"minilm"}' });
  const env = { XDG_CACHE_HOME: folder() };
  const search = () => run(["search", "a nurse for my stomach", "--catalog", "tools", "--json"], { cwd, env });
  const { stdout, stderr } = await search();
  expect([(JSON.parse(stdout) as { names: readonly string[] }).names[0], stderr]).toEqual(["clinic_hours", ""]);
  const file = path.join(env.XDG_CACHE_HOME, "toolpacks", "vectors", "minilm-l6-v2.vectors");
  const { size } = statSync(file);
  expect(size).toBeGreaterThan(2 * 1_536);
  await search();
  expect(statSync(file).size).toBe(size);
});
