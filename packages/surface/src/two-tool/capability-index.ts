import { estimateTokens } from "@toolpacks/core";

/** The name of the group of record kinds, in place of a pack. */
export const kindsGroup = "kinds";

/** Maximum estimated tokens of the index and the workspace names together, for few packs; and per pack, for many packs. */
const maxTokensForAll = 124;
const maxTokensPerPack = 10;

/** A pack, or another group of names. */
export interface NamedGroup {
  readonly name: string;
  readonly members: readonly string[];
}

/**
 * Renders one line per group: `issues: [create,list,ready,…]`. The members of all groups share the tokens that are left.
 *
 * @param taken estimated tokens of the other text
 */
export function capabilityIndex(groups: readonly NamedGroup[], taken: number): string {
  const shown = groups.map(() => 0);
  let left = Math.max(maxTokensForAll - taken, maxTokensPerPack * groups.length);
  for (const { name } of groups) left -= estimateTokens(line(name, [], true));
  let more = true;
  // Adds one member of each group in turn, so that a large group does not crowd out a small one.
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
