import { estimateTokens } from "@toolpacks/core";

/** What the whole index may take while few packs are mounted, and what each pack may take when there are many, in estimated tokens. */
const roomForAll = 145;
const roomPerPack = 11;

/** A pack, or something else that has names in it. */
export interface NamedGroup {
  readonly name: string;
  readonly members: readonly string[];
}

/** `issues: [create,list,ready,…]`, a line per group. Every group has its line; its members share what room there is. */
export function capabilityIndex(groups: readonly NamedGroup[]): string {
  const shown = groups.map(() => 0);
  let left = Math.max(roomForAll, roomPerPack * groups.length);
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
