import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** What ends the work when it is "killed". */
class Killed extends Error {}

interface Death {
  /** Whether the work was ended before its end. */
  readonly isKilled: boolean;
  /** Whether half of a file was written. */
  readonly isHalfway: boolean;
}

/**
 * Runs work as if its process was killed at the nth change of a file: that change and all later ones do not happen.
 *
 * @param at the change, from 1
 * @param halfway whether half of a file is written, if that change is a write
 */
export function killAt(at: number, halfway: boolean, work: () => void): Death {
  let left = at;
  let isHalfway = false;
  const { fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, unlinkSync, writeFileSync } = fs;
  const original = { fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, unlinkSync, writeFileSync };
  const counted =
    <Args extends unknown[], Result>(change: (...args: Args) => Result, half?: (...args: Args) => void) =>
    (...args: Args): Result => {
      left -= 1;
      if (left > 0) return change(...args);
      if (left === 0 && halfway) half?.(...args);
      throw new Killed();
    };
  const create = counted(openSync);
  Object.assign(fs, {
    fsyncSync: counted(fsyncSync),
    linkSync: counted(linkSync),
    mkdirSync: counted(mkdirSync),
    renameSync: counted(renameSync),
    rmSync: counted(rmSync),
    unlinkSync: counted(unlinkSync),
    openSync: (...args: Parameters<typeof openSync>) =>
      (Number(args[1]) & fs.constants.O_CREAT) === 0 ? openSync(...args) : create(...args),
    writeFileSync: counted(writeFileSync, (file, content) => {
      if (typeof content !== "string" && !(content instanceof Uint8Array)) return;
      writeFileSync(file, content.slice(0, content.length / 2));
      isHalfway = true;
    }),
  });
  syncBuiltinESMExports();
  try {
    work();
    return { isKilled: left <= 0, isHalfway };
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return { isKilled: true, isHalfway };
  } finally {
    Object.assign(fs, original);
    syncBuiltinESMExports();
  }
}
