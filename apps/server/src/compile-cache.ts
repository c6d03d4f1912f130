import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import path from "node:path";

const writableByGroup = 0o020;
const writableByOthers = 0o002;
const sticky = 0o1000;

/**
 * Turns on Node's compile cache, so that the next start compiles nothing again. Compiled code is code: a folder in which another user can
 * write is not used, and Node's own default is such a folder. Old versions of Node.js must be able to parse this file.
 */
export function enableCompileCache(): void {
  // Node.js has turned its cache on already, in the folder that the variable names.
  if (process.env["NODE_COMPILE_CACHE"]) return;
  try {
    const folder = path.join(cacheFolder(), "compile");
    if (!path.isAbsolute(folder)) return;
    makeFolder(folder);
    if (isPrivate(folder)) module.enableCompileCache(folder);
  } catch {
    // Without a cache the start takes longer, and nothing else.
  }
}

/** The same folder as the one of `userFolders`, without the library, which is not loaded yet. */
function cacheFolder(): string {
  const home = homedir();
  if (process.platform === "win32") {
    return path.join(process.env["LOCALAPPDATA"] || path.join(home, "AppData", "Local"), "toolpacks", "Cache");
  }
  if (process.platform === "darwin") return path.join(home, "Library", "Caches", "toolpacks");
  return path.join(process.env["XDG_CACHE_HOME"] || path.join(home, ".cache"), "toolpacks");
}

/** One level at a time: on `/proc` the recursive way of Node.js never ends. */
function makeFolder(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw error;
  }
}

/** Whether the folder is a real one of this user in which nobody else writes, and nobody else can put another in its place. */
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
