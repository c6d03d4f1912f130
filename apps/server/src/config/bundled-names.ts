/** The names of the bundled packs. `bundledPacks` has an entry for each. */
export const bundledNames = [
  "filesystem",
  "search",
  "canvas",
  "issues",
  "memory",
  "planner",
  "prompts",
  "tracker-sync",
  "undo",
  "workflows",
] as const;

/** Whether a pack in the config file is a bundled one, which needs no import. */
export function isBundled(name: string): boolean {
  return bundledNames.some((one) => one === name);
}
