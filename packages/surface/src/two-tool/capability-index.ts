import { estimateTokens } from "@toolpacks/core";
import type { PackTools } from "./pack-tools.ts";

/** What the whole index may take while few packs are mounted, and what each pack may take when there are many, in estimated tokens. */
const roomForAll = 160;
const roomPerPack = 11;

/** `issues: [create,list,ready,…]`, a line per pack. Every pack has its line; the names of tools share what room there is. */
export function capabilityIndex(packs: readonly PackTools[]): string {
  const room = Math.max(roomForAll, roomPerPack * packs.length);
  const names = packs.map(({ byShortName }) => [...byShortName.keys()]);
  const shown = packs.map(() => 0);
  let left = room - packs.reduce((sum, one) => sum + estimateTokens(line(one.pack, [], true)), 0);
  let more = true;
  // One name of each pack in turn, so that a large pack does not crowd out a small one.
  while (more) {
    more = false;
    for (const [at, own] of names.entries()) {
      const next = own[shown[at] ?? 0];
      if (next === undefined) continue;
      const cost = estimateTokens(`${next},`);
      if (cost > left) continue;
      left -= cost;
      shown[at] = (shown[at] ?? 0) + 1;
      more = true;
    }
  }
  return packs
    .map(({ pack }, at) => {
      const own = names[at] ?? [];
      const listed = own.slice(0, shown[at]);
      return line(pack, listed, listed.length < own.length);
    })
    .join("\n");
}

function line(pack: string, names: readonly string[], isCut: boolean): string {
  return `${pack}: [${[...names, ...(isCut ? ["…"] : [])].join(",")}]`;
}
