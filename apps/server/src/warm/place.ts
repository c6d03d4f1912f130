import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { makePrivateFolder } from "@toolpacks/files";
import { dataFolder } from "../user-folders.ts";

/** Permission bits of other users. */
const accessOfOthers = 0o077;

/** Maximum length of a socket's path in bytes, on every system. */
const maxSocketPath = 103;

/** Ending of a socket's file name. */
const extension = ".sock";

/** The folder of the sockets of this user's warm servers. No tool may write there, as everywhere in the user's data folder. */
function warmFolder(): string {
  return path.join(dataFolder(), "warm");
}

/**
 * The address of a server's socket. Creates the folder.
 *
 * @throws Error when another user could access the folder, or the path is too long for a socket
 */
export function socketAddress(name: string): string {
  const folder = warmFolder();
  makePrivateFolder(folder);
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & accessOfOthers) !== 0) {
    throw new Error(`${folder}: expected a folder that only its owner can access`);
  }
  const address = path.join(folder, `${name}${extension}`);
  if (Buffer.byteLength(address) > maxSocketPath) throw new Error(`${address}: too long for a socket`);
  return address;
}

/** The names of all sockets, of which some may have no server any more. */
export function socketNames(): readonly string[] {
  const folder = warmFolder();
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .toSorted();
}
