import { estimateTokens } from "@toolpacks/core";

/** What the index and the names of workspaces may take together while few packs are mounted, and what each pack may take when there are many, in estimated tokens. */
const roomForAll = 149;
const roomPerPack = 11;

/** A pack, or something else that has names in it. */
export interface NamedGroup {
  readonly name: string;
  readonly members: readonly string[];
}

/**
 * `issues: [create,list,ready,…]`, a line per group. Every group has its line; its members share what room there is.
 *
 * @param taken estimated tokens of what stands beside it
 */
export function capabilityIndex(groups: readonly NamedGroup[], taken: number): string {
  const shown = groups.map(() => 0);
  let left = Math.max(roomForAll - taken, roomPerPack * groups.length);
  for (const { name } of groups) left -= estimateTokens(line(name, [], true));
  let more = true;
  // One member of each group in turn, so that a large one does not crowd out a small one.
  while (more) {
    more = false;
    for (const [at, { members }] of groups.entries()) {
      const next = members[shown[at] ?? 0];
      if (next === undefined) continue;
      const cost = estimateTokens(`${next},`);
      if (cost > left) continue;
      left -= cost;
      shown[at] = (shown[at] ?? 0) + 1;
      more = true;
    }
  }
  return groups
    .map(({ name, members }, at) => line(name, members.slice(0, shown[at]), (shown[at] ?? 0) < members.length))
    .join("\n");
}

function line(name: string, members: readonly string[], isCut: boolean): string {
  return `${name}: [${[...members, ...(isCut ? ["…"] : [])].join(",")}]`;
}
