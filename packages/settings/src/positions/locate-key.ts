import path from "node:path";

/** Returns the offset of a key or list item, or of its nearest parent in the text. Undefined at the root. */
export type Locate = (at: readonly PropertyKey[]) => number | undefined;

/** Returns a function that finds the keys and list items of a valid config file. Only the parser of its format is loaded. It finds none in TOML. */
export async function keyLocator(file: string, text: string): Promise<Locate> {
  switch (path.extname(file)) {
    case ".yaml":
    case ".yml":
      return (await import("./locate-yaml.ts")).locateYaml(text);
    case ".toml":
      return () => undefined;
    default:
      return (await import("./locate-jsonc.ts")).locateJsonc(text);
  }
}
