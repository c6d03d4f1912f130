import { realpathSync } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { printableText } from "@toolpacks/core/terminal";
import type { ConfigFile } from "../config/config-file.ts";

/** A folder that a config file opens to file tools. */
export interface ConfigRoot {
  /** Where the config file names it: `roots`, `packs.search.roots`. */
  readonly key: string;
  /** The absolute path as it is written. */
  readonly path: string;
  /** Where links lead. The same path where there are none. */
  readonly realPath: string;
}

/** The folders in `roots`, in `clientRoots` and in the `roots` of packs. */
export function configRoots({ config, directory }: Pick<ConfigFile, "config" | "directory">): readonly ConfigRoot[] {
  const packs = Object.entries(config.packs ?? {});
  const lists = [
    ["roots", config.roots] as const,
    ["clientRoots", config.clientRoots] as const,
    ...packs.map(
      ([name, options]) => [`packs.${name}.roots`, isObject(options) ? options["roots"] : undefined] as const,
    ),
  ];
  return lists.flatMap(([key, list]) =>
    (Array.isArray(list) ? list : [])
      .filter((root) => typeof root === "string")
      .map((root) => {
        const whole = path.resolve(directory, root);
        return { key, path: whole, realPath: realOf(whole) };
      }),
  );
}

/** A root for a person to read, with the folder that a link leads to. */
export function renderRoot({ path: written, realPath }: ConfigRoot): string {
  const shown = printableText(written, Number.POSITIVE_INFINITY);
  return written === realPath ? shown : `${shown} (a link to ${printableText(realPath, Number.POSITIVE_INFINITY)})`;
}

/** The real path of one that need not exist: of the part that does, with the rest behind it. */
function realOf(absolute: string): string {
  try {
    return realpathSync(absolute);
  } catch {
    const parent = path.dirname(absolute);
    return parent === absolute ? absolute : path.join(realOf(parent), path.basename(absolute));
  }
}
