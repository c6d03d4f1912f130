import { statSync, type Stats } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { realPath } from "@toolpacks/files";

/**
 * Resolves the module of a pack in the config file, from a path or an npm package name.
 *
 * @throws Error when the package is not installed, or a `package.json` that Node reads is too large or not a regular file
 */
export function packModule(specifier: string, directory: string): string {
  const isPath = specifier.startsWith(".") || path.isAbsolute(specifier);
  if (!isPath) checkPackageFiles(packageFolders(specifier, directory));
  const file = isPath
    ? path.resolve(directory, specifier)
    : createRequire(path.join(directory, "config.js")).resolve(specifier);
  // Node reads the `package.json` files of the parent folders to load the module.
  checkPackageFiles(foldersFrom(path.dirname(realPath(file))));
  return file;
}

/** Folders whose `package.json` Node may read to resolve a name. */
function packageFolders(specifier: string, directory: string): readonly string[] {
  // `#name` may refer to any other package.
  if (specifier.startsWith("#")) throw new Error("expected a path or the name of an npm package");
  const name = /^(?:@[^/\\]+[/\\])?[^/\\]+/.exec(specifier)?.[0] ?? specifier;
  return foldersFrom(directory).flatMap((folder) => {
    const modules = path.join(folder, "node_modules");
    return [folder, path.join(modules, name), path.join(modules, specifier)];
  });
}

function foldersFrom(directory: string): readonly string[] {
  const parent = path.dirname(directory);
  return parent === directory ? [directory] : [directory, ...foldersFrom(parent)];
}

const maxPackageBytes = 4 * 1_048_576;

/** Checks the files that Node reads completely: a device would never end, and a FIFO would block. */
function checkPackageFiles(folders: readonly string[]): void {
  for (const folder of folders) {
    const file = path.join(folder, "package.json");
    const stats = statsOf(file);
    if (stats === undefined || stats.isDirectory()) continue;
    if (!stats.isFile()) throw new Error(`${file}: not a regular file`);
    if (stats.size > maxPackageBytes) throw new Error(`${file}: larger than ${maxPackageBytes} bytes`);
  }
}

/** The stats of a file; undefined when it cannot be found. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}
