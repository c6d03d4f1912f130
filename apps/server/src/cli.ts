#!/usr/bin/env node
import { nodeProblem } from "@toolpacks/core/node-version";
import { enableCompileCache } from "./compile-cache.ts";

// Old versions of Node.js must be able to parse this file and what it imports statically, so that they get to the refusal.
const problem = nodeProblem("toolpacks", process.versions.node);
if (problem === undefined) {
  // On before anything else is loaded.
  enableCompileCache();
  void import("./main.ts");
} else {
  process.stderr.write(`toolpacks: ${problem}\n`);
  process.exitCode = 2;
}
