import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { userFolders } from "./user-folders.ts";

const writableByGroup = 0o020;
const writableByOthers = 0o002;
const sticky = 0o1000;

/**
 * Turns on Node's compile cache for a program, which makes the next start faster. Cached code is executed, so a folder that another user can write to is not
 * used. Node's default folder is one of these. Old versions of Node.js must be able to parse this file.
 */
export function enableCompileCache(program: string): void {
  // The variable has turned the cache on already.
  if (process.env["NODE_COMPILE_CACHE"]) return;
  try {
    if (!path.isAbsolute(homedir())) return;
    const folder = path.join(userFolders(program, process.env).cache, "compile");
    makeFolder(folder);
    if (isPrivate(folder)) module.enableCompileCache(folder);
  } catch {
    // Without a cache, only the start is slower.
  }
}

/** Creates a folder and its parents one by one: the recursive mode of Node.js never ends on `/proc`. */
function makeFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
  }
}

/** Whether only this user can write to the folder, or replace it. A link is not accepted. */
function isPrivate(folder: string): boolean {
  // Windows keeps other users out of this folder by its own access rights.
  if (process.getuid === undefined) return true;
  const user = process.getuid();
  const own = lstatSync(folder);
  if (!own.isDirectory() || own.uid !== user || (own.mode & (writableByGroup | writableByOthers)) !== 0) return false;
  let above = path.dirname(realpathSync(folder));
  for (;;) {
    const { uid, gid, mode } = lstatSync(above);
    if (uid !== user && uid !== 0) return false;
    // Many systems give each user a group of the same number, and folders that are writable by it.
    const writable = gid === user ? writableByOthers : writableByGroup | writableByOthers;
    if ((mode & writable) !== 0 && (mode & sticky) === 0) return false;
    if (path.dirname(above) === above) return true;
    above = path.dirname(above);
  }
}
