import { realpathSync, statSync, type Stats } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/**
 * The file that a pack of the config file is imported from, by a path or by the name of an npm package.
 *
 * @throws Error where no package of that name is installed, and for a `package.json` on the way that Node could not finish reading
 */
export function packModule(specifier: string, directory: string): string {
  const isPath = specifier.startsWith(".") || path.isAbsolute(specifier);
  if (!isPath) checkPackageFiles(packageFolders(specifier, directory));
  const file = isPath
    ? path.resolve(directory, specifier)
    : createRequire(path.join(directory, "toolpacks.config.js")).resolve(specifier);
  // Its folders say how the module is loaded.
  checkPackageFiles(foldersFrom(path.dirname(realPath(file))));
  return file;
}

/** Folders whose `package.json` Node may read to resolve a name. */
function packageFolders(specifier: string, directory: string): readonly string[] {
  // `#name` leads to any other package.
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

/** Node reads these files whole: a device would never end, and a FIFO be waited for. */
function checkPackageFiles(folders: readonly string[]): void {
  for (const folder of folders) {
    const file = path.join(folder, "package.json");
    const stats = statsOf(file);
    if (stats === undefined || stats.isDirectory()) continue;
    if (!stats.isFile()) throw new Error(`${file}: not a regular file`);
    if (stats.size > maxPackageBytes) throw new Error(`${file}: larger than ${maxPackageBytes} bytes`);
  }
}

/** Undefined where Node finds nothing either. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
