/**
 * Kills its process at the nth change of a file. `node --import` loads it before a command; `$KILL_AT` is the count, `$KILL_HALFWAY` writes half of the
 * file first, and says so on stderr.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env["KILL_AT"]);
const isHalfway = process.env["KILL_HALFWAY"] !== undefined;
const { fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, unlinkSync, writeFileSync } = fs;

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

const create = countChange(openSync);
Object.assign(fs, {
  fsyncSync: countChange(fsyncSync),
  linkSync: countChange(linkSync),
  mkdirSync: countChange(mkdirSync),
  openSync: (...args: Parameters<typeof openSync>) =>
    (Number(args[1]) & fs.constants.O_CREAT) === 0 ? openSync(...args) : create(...args),
  renameSync: countChange(renameSync),
  rmSync: countChange(rmSync),
  unlinkSync: countChange(unlinkSync),
  writeFileSync: countChange(writeFileSync, (file, content) => {
    if (typeof content === "string" || content instanceof Uint8Array) {
      writeFileSync(file, content.slice(0, content.length / 2));
      writeFileSync(2, "halfway\n");
    }
  }),
});
syncBuiltinESMExports();
