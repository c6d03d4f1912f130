// `node killed-undo.fixture.ts <folder> <kill at>`: changes files and a note and takes that back, in a process that kills itself before a step on the disk.
// Prints the number of steps when it is not killed.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { sqlite } from "@toolpacks/store-sqlite";
import { undoable } from "./undo.fixture.ts";

/** The server of a folder, in any process. */
export function serverOf(folder: string) {
  const root = path.join(folder, "root");
  return undoable(() => sqlite(path.join(folder, "store.db")), {
    lockFile: path.join(folder, "undo.lock"),
    roots: [root],
  });
}

/** Calls of one session, and its undo. */
const calls: readonly (readonly [string, object])[] = [
  ["fs_write", { path: "a.txt", content: "two", overwrite: true }],
  ["fs_write", { path: "a.txt", content: "three", overwrite: true }],
  ["fs_move", { from: "d", to: "h" }],
  ["fs_move", { from: "h", to: "e" }],
  ["fs_move", { from: "f", to: "g", overwrite: true }],
  ["fs_delete", { path: "e/y", permanent: true }],
  ["fs_delete", { path: "private", permanent: true }],
  ["store_put", { kind: "note", id: "n", record: { text: "two" } }],
  ["fs_write", { path: "new/b.txt", content: "new", parents: true }],
  ["store_put", { kind: "note", id: "m", record: { text: "new" } }],
  ["undo", { session: "s" }],
];

const writes = "writeFileSync renameSync unlinkSync rmSync rmdirSync mkdirSync symlinkSync chmodSync".split(" ");
const later = "copyFile rename link unlink rm mkdir".split(" ");

/** Counts steps on the disk, and kills the process before one of them. Returns the count so far. */
function killBefore(step: number): () => number {
  let count = 0;
  const wrap = (owner: object, names: readonly string[]) => {
    const functions = owner as Record<string, (...args: unknown[]) => unknown>;
    for (const name of names) {
      const own = functions[name];
      functions[name] = function (this: unknown, ...args) {
        count += 1;
        if (count === step) process.kill(process.pid, "SIGKILL");
        return own?.apply(this, args);
      };
    }
  };
  wrap(fs, writes);
  wrap(fs.promises, later);
  wrap(DatabaseSync.prototype, ["exec"]);
  syncBuiltinESMExports();
  return () => count;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , folder = "", killAt = "0"] = process.argv;
  const server = serverOf(folder);
  const count = killBefore(Number(killAt));
  for (const [name, args] of calls) await server.call(name, args, { session: "s" });
  process.stdout.write(String(count()));
  await server.end();
}
