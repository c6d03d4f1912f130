import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** The folders in which clients keep their config files, on one platform. */
export interface ClientFolders {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The current folder, for the files of a project. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The folders of this machine. */
export function foldersOf(project: string): ClientFolders {
  return { platform: process.platform, home: homedir(), project, environment: process.env };
}

/** Joins the parts of a path as the platform does. */
export function joinPath({ platform }: ClientFolders, ...parts: readonly string[]): string {
  return (platform === "win32" ? path.win32 : path.posix).join(...parts);
}

/** A folder that a variable names, else its default. A relative value is relative to the home folder: it must not lead into the project. */
export function folderFrom(folders: ClientFolders, variable: string, byDefault: string): string {
  const paths = folders.platform === "win32" ? path.win32 : path.posix;
  return paths.resolve(folders.home, folders.environment[variable] || byDefault);
}

/** The folder for settings of applications: `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
export function applicationFolder(folders: ClientFolders): string {
  if (folders.platform === "win32") return folderFrom(folders, "APPDATA", "AppData\\Roaming");
  if (folders.platform === "darwin") return joinPath(folders, folders.home, "Library", "Application Support");
  return folderFrom(folders, "XDG_CONFIG_HOME", ".config");
}

/** The folder of Claude Desktop. Windows redirects the settings of a packaged application to a folder of its package. */
export function claudeDesktopFolder(folders: ClientFolders): string {
  if (folders.platform === "win32") {
    const packages = joinPath(folders, folderFrom(folders, "LOCALAPPDATA", "AppData\\Local"), "Packages");
    const found = namesIn(packages).find((name) => /^Claude_\w+$/.test(name));
    if (found !== undefined) return joinPath(folders, packages, found, "LocalCache", "Roaming", "Claude");
  }
  return joinPath(folders, applicationFolder(folders), "Claude");
}

/** The names in a folder; none if it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
