#!/usr/bin/env node
import { nodeProblem } from "@toolpacks/terminal/node-version";

// Old versions of Node.js must be able to parse this file and what it imports statically, so that they print the problem.
const problem = nodeProblem("toolpacks-cases", process.versions.node);
if (problem === undefined) {
  void run();
} else {
  process.stderr.write(`toolpacks-cases: ${problem}\n`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const [{ main }, { exitOnStdoutError, processIo }] = await Promise.all([
    import("./main.ts"),
    import("@toolpacks/terminal"),
  ]);
  exitOnStdoutError("toolpacks-cases");
  process.exitCode = await main(processIo());
}
