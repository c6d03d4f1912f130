import { closest } from "@toolpacks/core";
import { bundledPacks, isBundled } from "../mount/bundled-packs.ts";
import type { ConfigFile } from "./config-file.ts";

/** A warning for each disabled pack whose name is a misspelt bundled name: the bundled pack stays mounted. */
export function misnamedPacks(file: ConfigFile | undefined): readonly string[] {
  const bundled = bundledPacks.map(({ name }) => name);
  return Object.entries(file?.config.packs ?? {}).flatMap(([name, options]) => {
    const near = options === false && !isBundled(name) ? closest(name, bundled, 0.7) : undefined;
    return near === undefined ? [] : [`${file?.path}: packs.${name}: no such pack (did you mean ${near}?)`];
  });
}
