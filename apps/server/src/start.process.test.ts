import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { cli, folder, initialize } from "./command.fixture.ts";

/** A module for `--import` that prints the URL of each module that is loaded. */
const reporter = `
import { registerHooks } from "node:module";
import { writeSync } from "node:fs";
registerHooks({ load(url, context, next) { writeSync(2, "loaded " + url + "\\n"); return next(url, context); } });
`;

/** The modules that are loaded before `tools/list` is answered: chunks without their hashes, and built-in modules. */
async function loadedModules(args: readonly string[], cwd: string): Promise<readonly string[]> {
  const hook = pathToFileURL(`${folder({ "reporter.mjs": reporter })}/reporter.mjs`).href;
  const server = spawn(process.execPath, ["--import", hook, cli, ...args], { cwd });
  let [output, errors] = ["", ""];
  server.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const messages = [initialize, { method: "notifications/initialized" }, { id: 2, method: "tools/list" }];
  for (const message of messages) server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  for await (const chunk of server.stdout) {
    output += String(chunk);
    if (output.includes('"id":2,') || output.includes('"id":2}')) break;
  }
  server.stdin.end();
  await once(server, "close");
  const urls = [...errors.matchAll(/^loaded (.+)$/gm)].map(([, url = ""]) => url);
  return [...new Set(urls.filter((url) => url !== hook).map(chunkName))].toSorted();
}

function chunkName(url: string): string {
  if (!url.startsWith("file:")) return url;
  return (
    url
      .split("/")
      .at(-1)
      ?.replace(/-[\w-]{8}\.js$/, "")
      .replace(/-[A-Z0-9]{8}$/, "") ?? url
  );
}

/** Maximum size of the chunks that every start on stdio loads, together, in bytes. */
const maxBytes = 792_000;

test("a start loads three chunks, and nothing that only other commands, hosts or tools use", async () => {
  const loaded = await loadedModules(["--root", ".", "--log-level", "silent"], folder());
  expect(loaded.filter((name) => !name.startsWith("node:"))).toEqual([
    "base",
    "cli.js",
    "main",
    "relay-read",
    "sdk-2",
    "serve",
    "settings",
    "start",
    "tools",
  ]);
  // Built-in modules take time, too. Commander needs `child_process` and `process`.
  expect(loaded.filter((name) => name.startsWith("node:"))).toEqual([
    "node:async_hooks",
    "node:child_process",
    "node:crypto",
    "node:events",
    "node:os",
    "node:path",
    "node:process",
    "node:timers/promises",
    "node:url",
    "node:util",
  ]);
});

test(`the chunks of a start stay within ${maxBytes} bytes`, () => {
  const chunks = readdirSync(path.dirname(cli)).filter((file) => /^(base|settings|start)-/.test(file));
  expect(chunks).toHaveLength(3);
  const sizes = chunks.map((file) => statSync(path.join(path.dirname(cli), file)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(maxBytes);
});
