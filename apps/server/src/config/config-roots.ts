import path from "node:path";
import { isObject } from "@toolpacks/core";
import { realPath } from "@toolpacks/files";
import { printableText } from "@toolpacks/terminal";
import type { ConfigFile } from "@toolpacks/settings";
import type { Config } from "./config-schema.ts";

/** A folder in a config file that file tools may access. */
export interface ConfigRoot {
  /** Key in the config file: `roots`, `packs.search.roots`. */
  readonly key: string;
  /** The absolute path before links are resolved. */
  readonly path: string;
  /** The path after links are resolved. */
  readonly realPath: string;
}

/** The folders in `roots`, in `clientRoots` and in the `roots` of packs. */
export function configRoots({
  config,
  directory,
}: Pick<ConfigFile<Config>, "config" | "directory">): readonly ConfigRoot[] {
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
        const absolute = path.resolve(directory, root);
        return { key, path: absolute, realPath: realPath(absolute) };
      }),
  );
}

/** Renders a root for the user, with the target of a link. */
export function renderRoot({ path: written, realPath }: ConfigRoot): string {
  const shown = printableText(written, Number.POSITIVE_INFINITY);
  return written === realPath ? shown : `${shown} (a link to ${printableText(realPath, Number.POSITIVE_INFINITY)})`;
}
