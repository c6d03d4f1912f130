import type { Catalog } from "@toolpacks/core";
import { packTools } from "./two-tool/pack-tools.ts";

interface CallPhrasesOptions {
  readonly catalog: Catalog;
  readonly isTwoTool: boolean;
  /** The names in the tool list. */
  readonly names: ReadonlySet<string>;
}

/** Creates a function that tells a model how to call a tool: by its own name, or by the listed tool that reaches it. */
export async function callPhrases(options: CallPhrasesOptions): Promise<(tool: string) => string> {
  const { catalog, isTwoTool, names } = options;
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
