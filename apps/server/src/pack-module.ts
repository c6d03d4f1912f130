import { createRequire } from "node:module";
import path from "node:path";

/**
 * The file that a pack of the config file is imported from, by a path or by the name of an npm package.
 *
 * @throws Error where no package of that name is installed
 */
export function packModule(specifier: string, directory: string): string {
  if (specifier.startsWith(".") || path.isAbsolute(specifier)) return path.resolve(directory, specifier);
  return createRequire(path.join(directory, "toolpacks.config.js")).resolve(specifier);
}
