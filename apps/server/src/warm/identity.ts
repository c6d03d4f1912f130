import { createHash } from "node:crypto";
import { readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Settings } from "../config/settings.ts";
import { storeFiles } from "../stores/store-address.ts";
import { version } from "../version.ts";
import { findFolderWorkspace } from "@toolpacks/workspaces";
import { folderRegistry } from "../stores/folder-registry.ts";

/**
 * The name of the warm server for these settings: a hash of everything in which two commands must agree to share a server. It covers the program, the folder,
 * the environment, the rights of the process, the settings with the config file and its trust, and the files that they name.
 *
 * Undefined if the store or the workspace of the root does not exist: a command that runs without a server creates them.
 */
export function serverName(settings: Settings): string | undefined {
  const { roots, store, workspace } = settings;
  const [storeFile] = storeFiles(store.value);
  const [root] = roots.value;
  const records = [
    storeFile === undefined ? store.value : storeVersion(storeFile),
    workspace.value ?? (root === undefined ? "default" : folderWorkspace(settings, root)),
  ];
  if (records.includes(undefined)) return undefined;
  const parts = [
    [version, fileVersion(fileURLToPath(import.meta.url)), process.execPath, process.version, process.execArgv],
    [process.cwd(), fileVersion(process.cwd()), rights()],
    usedVariables(),
    { ...settings, warnings: undefined, logLevel: undefined, http: undefined, watch: undefined },
    roots.value.map((one) => [attempt(() => realpathSync(one)), fileVersion(one)]),
    records,
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}

/** Variables of one shell or terminal window, which no tool depends on. */
const sessionVariables = new Set([
  "_",
  "SHLVL",
  "OLDPWD",
  "COLUMNS",
  "LINES",
  "WINDOWID",
  "TERM_SESSION_ID",
  "ITERM_SESSION_ID",
  "GPG_TTY",
  "SSH_TTY",
  "SSH_CONNECTION",
  "SSH_CLIENT",
]);

function usedVariables(): readonly (readonly [string, string | undefined])[] {
  return Object.keys(process.env)
    .filter((name) => !sessionVariables.has(name))
    .toSorted()
    .map((name) => [name, process.env[name]]);
}

/** The user and groups, and on Linux the restrictions and namespaces, so that a command in a sandbox does not use a server outside of it. */
function rights(): readonly unknown[] {
  const user = [process.geteuid?.(), process.getegid?.(), process.getgroups?.(), process.umask()];
  if (process.platform !== "linux") return user;
  const status = attempt(() => readFileSync("/proc/self/status", "latin1"));
  const restrictions = status.split("\n").filter((line) => /^(Cap\w+|NoNewPrivs|Seccomp\w*):/.test(line));
  const namespaces = ["mnt", "net", "pid", "user"].map((name) => attempt(() => readlinkSync(`/proc/self/ns/${name}`)));
  return [user, restrictions, namespaces, attempt(() => String(statSync("/").ino))];
}

/** What changes when a file is written or replaced, or a folder is replaced. */
function fileVersion(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return "missing";
  const { dev, ino, size, mtimeMs } = stats;
  return stats.isDirectory() ? `${dev}:${ino}` : `${dev}:${ino}:${size}:${mtimeMs}`;
}

/** The content of a store changes with each write. */
function storeVersion(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function folderWorkspace(settings: Settings, root: string): string | undefined {
  const { isNew, id } = findFolderWorkspace(folderRegistry(settings), root);
  return isNew ? undefined : id;
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
