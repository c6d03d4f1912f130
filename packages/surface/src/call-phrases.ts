import type { Catalog } from "@toolpacks/core";
import { packTools } from "./two-tool/pack-tools.ts";

interface Listed {
  readonly catalog: Catalog;
  readonly isTwoTool: boolean;
  /** The names in the tool list. */
  readonly names: ReadonlySet<string>;
}

/** How a model calls a tool with what the list names: the tool itself, or the listed entry that leads to it. */
export async function callPhrases({ catalog, isTwoTool, names }: Listed): Promise<(tool: string) => string> {
  const packs = isTwoTool ? await packTools(catalog) : [];
  return (tool) => {
    if (names.has(tool)) return tool;
    for (const { pack, byShortName } of packs) {
      for (const [short, entry] of byShortName) {
        if (entry.tool.name === tool) return `useTools (pack: ${JSON.stringify(pack)}, tool: ${JSON.stringify(short)})`;
      }
    }
    return names.has("tool_invoke") ? `tool_invoke (name: ${JSON.stringify(tool)})` : tool;
  };
}
