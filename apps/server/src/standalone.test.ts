import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cli, folder, initialize } from "./command.fixture.ts";

test("the built command runs where nothing is installed", async () => {
  const alone = folder();
  cpSync(path.dirname(cli), alone, { recursive: true });
  const cwd = folder({ "a.txt": "text", "toolpacks.config.toml": 'roots = ["."]' });
  const run = async (args: readonly string[], stdin = "") => {
    const running = promisify(execFile)(process.execPath, [path.join(alone, "cli.js"), ...args], { cwd });
    running.child.stdin?.end(stdin);
    return (await running).stdout;
  };
  const asked = [initialize, { method: "notifications/initialized" }, { id: 2, method: "tools/list" }];
  const lines = asked.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  for (const sdk of ["1", "2"]) expect(await run(["--sdk", sdk], lines)).toContain('"tool_search"');
  expect(await run(["call", "fs_read", '{"path":"a.txt"}'])).toBe("text\n");
  expect(await run(["tools"])).toContain("fs_read");
  expect(await run(["budget"])).toContain("filesystem");
  expect(await run(["doctor"])).toContain("no problems");
  expect(JSON.parse(await run(["config", "schema"]))).toHaveProperty("properties.roots");
  expect(await run(["--version"])).toMatch(/^\d+\.\d+\.\d+/);
});
