/**
 * Kills its process at the nth change of a file. `node --import` loads it before a command; `$KILL_AT` is the count, `$KILL_HALFWAY` writes half of
 * the file first.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env["KILL_AT"]);
const isHalfway = process.env["KILL_HALFWAY"] !== undefined;
const { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = fs;

/** Counts a change, and ends the process in its place. */
function change<Args extends unknown[], Result>(made: (...args: Args) => Result, half?: (...args: Args) => void) {
  return (...args: Args): Result => {
    left -= 1;
    if (left > 0) return made(...args);
    if (isHalfway) half?.(...args);
    process.kill(process.pid, "SIGKILL");
    return made(...args);
  };
}

Object.assign(fs, {
  mkdirSync: change(mkdirSync),
  renameSync: change(renameSync),
  rmSync: change(rmSync),
  writeFileSync: change(writeFileSync, (file, text) => {
    if (typeof text === "string") writeFileSync(file, text.slice(0, text.length / 2));
  }),
  copyFileSync: change(copyFileSync, (from, to) => {
    const whole = readFileSync(from);
    writeFileSync(to, whole.subarray(0, whole.length / 2));
  }),
});
syncBuiltinESMExports();
