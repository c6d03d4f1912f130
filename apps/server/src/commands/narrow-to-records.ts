import type { Settings } from "../config/settings.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";

/** The packs whose records a briefing shows. */
const packs = new Set(["memory", "issues"]);
const ownTool = /^(?:memory|workspace|state|trace|issue|store)_/;

/** The settings with only the packs of a briefing, so that a hook starts fast and starts no other server. What the user denies stays denied. */
export function narrowToRecords(settings: Settings): Settings {
  const { deny, surface, expose, facet } = settings;
  const others = bundledPacks.filter(({ name }) => !packs.has(name)).map(({ name }) => [name, false] as const);
  const own = Object.entries(settings.packs).filter(([name]) => packs.has(name));
  const isKnown = (name: string) => packs.has(name) || ownTool.test(name);
  return {
    ...settings,
    packs: Object.fromEntries([...own, ...others]),
    mcpServers: {},
    deny: { ...deny, value: deny.value.filter(isKnown) },
    surface: { ...surface, value: "direct" },
    expose: { ...expose, value: undefined },
    facet: { ...facet, value: undefined },
  };
}
