import { InvalidArgumentError, type Command } from "commander";
import { addStoreFlags } from "./flags.ts";

/** Adds the flags that select the records of a project. */
export function addProjectFlags(command: Command): Command {
  return addStoreFlags(command)
    .option("--root <dir>", "folder of the project", (dir: string) => [dir])
    .option("--workspace <id>", "workspace of the records (default: the workspace of the root)");
}

/** Reads a whole number from 0. */
export function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number from 0");
  return Number(text);
}
