import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cli, folder } from "./command.fixture.ts";

const mcporter = fileURLToPath(new URL("../node_modules/mcporter/dist/cli.js", import.meta.url));

/** Another vendor's client, as its users run it. */
async function ask(cwd: string, args: readonly string[]): Promise<string> {
  const server = `${process.execPath} ${cli} --root ${cwd} --log-level silent`;
  const { stdout } = await promisify(execFile)(process.execPath, [mcporter, ...args, "--stdio", server], {
    cwd,
    env: { ...process.env, HOME: cwd },
  });
  return stdout;
}

test("mcporter lists the tools and calls one", async () => {
  const cwd = folder({ "hello.txt": "hello from a file" });
  const listed = await ask(cwd, ["list"]);
  for (const name of ["tool_search", "tool_describe", "tool_read", "tool_invoke"]) expect(listed).toContain(name);
  const args = JSON.stringify({ name: "fs_read", args: { path: "hello.txt" } });
  expect(await ask(cwd, ["call", "tool_read", "--args", args])).toContain("hello from a file");
});
