import type { ToolNames } from "@toolpacks/core";
import type { PackTools } from "./pack-tools.ts";

/** A pack's tool as texts name it, `filesystem: edit`, or as the results of a batch do, `filesystem.edit`. */
const packAndTool = /^([\w-]+)(?:: *|\.)([\w-]+\*?)$/;

/** The short names of tools, with their packs. A short name alone means every tool with it. */
export function toolNames(packs: readonly PackTools[]): ToolNames {
  const shown = new Map(
    packs.flatMap(({ pack, byShortName }) =>
      [...byShortName].map(([short, { tool }]) => [tool.name, `${pack}: ${short}`] as const),
    ),
  );
  const inPack = ({ byShortName }: PackTools, wanted: string) => {
    const start = wanted.endsWith("*") ? wanted.slice(0, -1) : undefined;
    const isWanted = (short: string) => (start === undefined ? short === wanted : short.startsWith(start));
    return [...byShortName].flatMap(([short, { tool }]) =>
      isWanted(short) || tool.name === wanted ? [tool.name] : [],
    );
  };
  return {
    shown: (name) => shown.get(name) ?? name,
    find(name) {
      const [, packName, tool = ""] = packAndTool.exec(name) ?? [];
      if (packName === undefined) {
        const found = shown.has(name) || name.endsWith("*") ? [] : packs.flatMap((pack) => inPack(pack, name));
        return found.length === 0 ? undefined : found;
      }
      const pack = packs.find((one) => one.pack === packName);
      // A call of a tool that does not exist is known by the name in the batch.
      return pack && [...inPack(pack, tool), ...(tool.endsWith("*") ? [] : [`${packName}.${tool}`])];
    },
  };
}
