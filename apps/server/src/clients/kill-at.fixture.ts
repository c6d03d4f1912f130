/**
 * Kills its process at the nth countChange of a file. `node --import` loads it before a command; `$KILL_AT` is the count, `$KILL_HALFWAY` writes half of
 * the file first.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env["KILL_AT"]);
const isHalfway = process.env["KILL_HALFWAY"] !== undefined;
const { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = fs;

/** Wraps a function that changes a file: counts the calls, and kills the process in place of the nth. */
function countChange<Args extends unknown[], Result>(
  original: (...args: Args) => Result,
  half?: (...args: Args) => void,
) {
  return (...args: Args): Result => {
    left -= 1;
    if (left > 0) return original(...args);
    if (isHalfway) half?.(...args);
    process.kill(process.pid, "SIGKILL");
    return original(...args);
  };
}

Object.assign(fs, {
  mkdirSync: countChange(mkdirSync),
  renameSync: countChange(renameSync),
  rmSync: countChange(rmSync),
  writeFileSync: countChange(writeFileSync, (file, text) => {
    if (typeof text === "string") writeFileSync(file, text.slice(0, text.length / 2));
  }),
  copyFileSync: countChange(copyFileSync, (from, to) => {
    const content = readFileSync(from);
    writeFileSync(to, content.subarray(0, content.length / 2));
  }),
});
syncBuiltinESMExports();
