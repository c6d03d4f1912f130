import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** A machine with clients, and the folders that decide where their config files are. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The current folder, for the files of a project. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** This machine. */
export function thisMachine(project: string, environment: Machine["environment"] = process.env): Machine {
  const { platform } = process;
  const home = environment[platform === "win32" ? "USERPROFILE" : "HOME"] || homedir();
  return { platform, home, project, environment };
}

/** Joins the parts of a path as the platform does. */
export function joinPath({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === "win32" ? path.win32 : path.posix).join(...parts);
}

/** A folder that a variable names, else its default. A relative value is relative to the home folder: it must not lead into the project. */
export function folderFrom(machine: Machine, variable: string, byDefault: string): string {
  const paths = machine.platform === "win32" ? path.win32 : path.posix;
  return paths.resolve(machine.home, machine.environment[variable] || byDefault);
}

/** The folder for settings of applications: `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
export function applicationFolder(machine: Machine): string {
  if (machine.platform === "win32") return folderFrom(machine, "APPDATA", "AppData\\Roaming");
  if (machine.platform === "darwin") return joinPath(machine, machine.home, "Library", "Application Support");
  return folderFrom(machine, "XDG_CONFIG_HOME", ".config");
}

/** The folder of Claude Desktop. Windows redirects the settings of a packaged application to a folder of its package. */
export function claudeDesktopFolder(machine: Machine): string {
  if (machine.platform === "win32") {
    const packages = joinPath(machine, folderFrom(machine, "LOCALAPPDATA", "AppData\\Local"), "Packages");
    const found = namesIn(packages).find((name) => /^Claude_\w+$/.test(name));
    if (found !== undefined) return joinPath(machine, packages, found, "LocalCache", "Roaming", "Claude");
  }
  return joinPath(machine, applicationFolder(machine), "Claude");
}

/** Finds a program in the absolute folders of `$PATH`; undefined if there is none. */
export function findProgram({ platform, environment }: Machine, name: string): string | undefined {
  const folders = (environment["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const suffixes = platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const candidates = folders.flatMap((folder) => suffixes.map((suffix) => path.join(folder, `${name}${suffix}`)));
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** The names in a folder; none if it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
