import { execFile } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cli, folder, initialize, run } from "./command.fixture.ts";

test("the built command runs without installed dependencies", async () => {
  const alone = folder();
  cpSync(path.dirname(cli), alone, { recursive: true });
  const cwd = folder({ "a.txt": "text", "toolpacks.config.toml": 'roots = ["."]' });
  const runAlone = async (args: readonly string[], stdin = "") => {
    const running = promisify(execFile)(process.execPath, [path.join(alone, "cli.js"), ...args], {
      cwd,
      env: { ...process.env, TOOLPACKS_CONFIG: "toolpacks.config.toml" },
    });
    running.child.stdin?.end(stdin);
    return (await running).stdout;
  };
  const asked = [initialize, { method: "notifications/initialized" }, { id: 2, method: "tools/list" }];
  const lines = asked.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  for (const sdk of ["1", "2"]) expect(await runAlone(["--sdk", sdk], lines)).toContain('"tool_search"');
  expect(await runAlone(["call", "fs_read", '{"path":"a.txt"}'])).toBe("text\n");
  expect(await runAlone(["tools"])).toContain("fs_read");
  expect(await runAlone(["budget"])).toContain("filesystem");
  expect(await runAlone(["doctor"])).toContain("no problems");
  expect(JSON.parse(await runAlone(["config", "schema"]))).toHaveProperty("properties.roots");
  expect(await runAlone(["--version"])).toMatch(/^\d+\.\d+\.\d+/);
  await expect(runAlone(["call", "search_text", '{"pattern":"text"}'])).rejects.toMatchObject({
    stderr: expect.stringMatching("unavailable: [^]*npm install @vscode/ripgrep") as string,
  });
  rmSync(path.join(alone, "tree-sitter-go.wasm"));
  await expect(runAlone(["call", "search_symbols", "{}"])).rejects.toMatchObject({
    stderr: expect.stringMatching("unavailable: [^]*parsers are missing[^]*install the package again") as string,
  });
});

test("the built command finds ripgrep where it is installed, and its parsers", async () => {
  const cwd = folder({ "a.go": "package a\n\nfunc Add() {}\n" });
  const call = async (tool: string, args: string) => (await run(["call", tool, args, "--root", "."], { cwd })).stdout;
  expect(await call("search_text", '{"pattern":"func"}')).toBe("a.go\n3: func Add() {}\n");
  expect(await call("search_symbols", "{}")).toBe("a.go\n3 function Add\n");
  expect(await call("search_code", '{"pattern":"func $F() {}","language":"go"}')).toContain("a.go\n3: func Add() {}");
});
