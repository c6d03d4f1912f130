#!/usr/bin/env node
import { nodeProblem } from "@toolpacks/terminal/node-version";
import { enableCompileCache } from "@toolpacks/terminal/compile-cache";

// Old versions of Node.js must be able to parse this file and what it imports statically, so that they print the problem.
const problem = nodeProblem("toolpacks", process.versions.node);
if (problem === undefined) {
  // The cache must be on before other modules are loaded.
  enableCompileCache("toolpacks");
  void import("./main.ts");
} else {
  process.stderr.write(`toolpacks: ${problem}\n`);
  process.exitCode = 2;
}
