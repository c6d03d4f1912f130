import { statSync } from "node:fs";
import path from "node:path";

/** Finds a program in the absolute folders of `$PATH`; undefined if there is none. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const suffixes = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  const candidates = folders.flatMap((folder) => suffixes.map((suffix) => path.join(folder, `${name}${suffix}`)));
  return candidates.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
