// In each file of tests that start processes: writes a line for each start.
import childProcess, { ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { beforeEach, expect } from "vitest";

type Start = (this: unknown, ...args: never[]) => unknown;

let isRetry = false;
beforeEach(({ task }) => void (isRetry = (task.result?.retryCount ?? 0) > 0));

function count(words: unknown): void {
  // After `--` is the command of a server that the started one starts.
  const starts = Array.isArray(words) && words.includes("--") ? 2 : 1;
  const line = `${expect.getState().testPath}\n`;
  if (!isRetry) appendFileSync(process.env["PROCESS_STARTS"] ?? "", line.repeat(starts));
}

function wrap(owner: object, name: string, wordsOf: (args: readonly unknown[]) => unknown): void {
  const methods = owner as Record<string, Start>;
  const start = methods[name]!;
  methods[name] = function (...args) {
    count(wordsOf(args));
    return start.apply(this, args);
  };
}

// spawn, exec, execFile and fork end in this method.
wrap(ChildProcess.prototype, "spawn", ([options]) => (options as { args?: unknown }).args);
for (const name of ["spawnSync", "execFileSync", "execSync"]) wrap(childProcess, name, ([, words]) => words);
syncBuiltinESMExports();
