import { expect, test } from "vitest";
import { folder, run } from "./run-cli.fixture.ts";

const missing =
  /memory_recall: search does without the model: @toolpacks\/meaning-minilm is not installed .*: npm install/g;

test.each([
  [{}, "also by meaning", 0],
  [{ meaning: "table" }, "also by meaning", 0],
  [{ meaning: "minilm" }, "also by meaning", 1],
  [{ meaning: false }, "by words alone", 0],
])("with %j, records are found %s", async (config, means, warnings) => {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ ...config, store: "records.db" }) });
  const call = (tool: string, args: object) =>
    run(["call", tool, JSON.stringify(args), "--log-level", "warn"], { cwd });
  await call("memory_remember", { text: "The office wifi password rotates monthly." });
  const { stdout, stderr } = await call("memory_recall", { query: "when does the wireless network key change" });
  expect(stdout.includes("rotates monthly")).toBe(means !== "by words alone");
  expect([...stderr.matchAll(missing)]).toHaveLength(warnings);
});
