#!/usr/bin/env node
import { readFileSync } from "node:fs";
import path from "node:path";
import { help, readChoice } from "./command.ts";
import { createPack } from "./create-pack.ts";

try {
  const choice = await readChoice(process.argv.slice(2));
  if (choice === undefined) process.stdout.write(help);
  else {
    const versions = JSON.parse(readFileSync(path.join(import.meta.dirname, "versions.json"), "utf8")) as Record<
      string,
      string
    >;
    const templates = path.join(import.meta.dirname, "templates");
    createPack({ ...choice, parent: process.cwd(), templates, versions });
    if (!choice.hasStore) process.stderr.write("The pack keeps no records. With --store, it makes one that does.\n");
    process.stdout.write(`created ${choice.name.pack}\n\n  cd ${choice.name.pack}\n  npm install\n  npm test\n`);
  }
} catch (error) {
  process.stderr.write(`create-toolpack: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
