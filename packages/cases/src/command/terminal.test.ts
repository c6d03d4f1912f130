import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { startModelEndpoint } from "@toolpacks/testkit";
import { describe, expect, test } from "vitest";
import { folder, run } from "./command.fixture.ts";

/** Ends a line, clears the screen, sets the title, turns text around, hides text, and fakes a result. */
const hostile = "x\u001B[2J\u009B2J\u202E\u{E0041}\u200B\n1 passed";
const invisible = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Removes the codes of the styles that the command uses, and no others. */
function withoutStyles(text: string): string {
  return ["32", "31", "1", "2", "39", "22"].reduce((rest, code) => rest.replaceAll(`\u001B[${code}m`, ""), text);
}

describe.skipIf(process.platform === "win32")("texts that cannot control the terminal or fake a line:", () => {
  test("a model's answer, a model's name and a file's name", async () => {
    const endpoint = await startModelEndpoint([hostile, hostile, hostile]);
    try {
      const env = { TOOLPACKS_MODEL_URL: endpoint.baseUrl, TOOLPACKS_MODEL: hostile, FORCE_COLOR: "1" };
      const cwd = folder({
        "a\u001B[2J.md": "Hi.",
        "b.md": "---\nanswer_matches: never\n---\nHi.",
        "c.md": "---\n{ args: { a: {\n1 passed: !x y\n} } }\n---\nHi.",
      });
      const { stdout, stderr } = await run(["*.md", "--dump-context"], { cwd, env });
      expect(stdout.includes("\u001B[32mRAN\u001B[39m a\\u{1b}[2J")).toBe(true);
      const shown = withoutStyles(stdout) + stderr;
      expect(shown).not.toMatch(invisible);
      expect(shown.split("\n")).not.toContain("1 passed");
    } finally {
      await endpoint.close();
    }
  });

  test("the names of a config file's servers", async () => {
    const endpoint = await startModelEndpoint(["Hello."]);
    const env = { TOOLPACKS_MODEL_URL: endpoint.baseUrl, TOOLPACKS_MODEL: "m" };
    const mcpServers = { [hostile]: { command: "none" }, other: { command: "none" } };
    const cwd = folder({ "a.md": "Hi.", "servers.json": JSON.stringify({ mcpServers }) });
    const { code, stderr } = await run(["a.md", "--config", "servers.json"], { cwd, env });
    await endpoint.close();
    expect([code, stderr.split("\n").length]).toEqual([2, 2]);
    expect(stderr).not.toMatch(invisible);
  });
});

test("all output of the command goes through the functions of @toolpacks/terminal", () => {
  const sources = globSync("*.ts", { cwd: import.meta.dirname }).filter(
    (file) => !/\.(test|fixture)\.ts$/.test(file) && file !== "cli.ts",
  );
  const writes = sources.filter((file) =>
    /std(out|err)\.write\(|console\./.test(readFileSync(path.join(import.meta.dirname, file), "utf8")),
  );
  expect([sources.length > 5, writes]).toEqual([true, []]);
});
