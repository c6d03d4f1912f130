import type { Tool } from "@toolpacks/core";

const namePattern = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Checks that names are unique, snake_case, of at most 64 characters, and start with one prefix for the pack, such as `fs_`, or with one
 * of `prefixes`.
 */
export function nameProblems(tools: readonly Tool[], known: readonly string[] = []): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { name, aliases } of tools) {
    for (const each of [name, ...aliases]) {
      if (!namePattern.test(each)) problems.push(`${each}: name: expected at most 64 characters of a-z, 0-9 and _`);
      if (seen.has(each)) problems.push(`${each}: name: used twice`);
      seen.add(each);
    }
  }
  const prefixes = new Set(tools.map(({ name }) => name.split("_")[0]));
  for (const { name } of tools)
    if (!name.includes("_") && !tools.some((other) => other.name.startsWith(`${name}_`)))
      problems.push(`${name}: name: expected a prefix, as in fs_read`);
  const found = [...prefixes].join(", ");
  if (known.length === 0 && prefixes.size > 1) problems.push(`names: expected one prefix for the pack, found ${found}`);
  const hasKnownPrefixes = known.length === prefixes.size && known.every((prefix) => prefixes.has(prefix));
  if (known.length > 0 && !hasKnownPrefixes)
    problems.push(`names: expected the prefixes ${known.join(", ")}, found ${found}`);
  return problems;
}
