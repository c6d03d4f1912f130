import { coreFacet, isObject } from "@toolpacks/core";
import { isDisabled, snakeCase } from "@toolpacks/upstream/config";
import type { Settings } from "../config/settings.ts";
import { ignoredReason, namesIgnored } from "../trust/ignored-settings.ts";
import type { Exclusion } from "./bundled-pack.ts";
import { bundledPacks } from "./bundled-packs.ts";

/** Another server to mount. */
export interface PlannedServer {
  /** Its key in `mcpServers`. */
  readonly key: string;
  /** Its facet. */
  readonly name: string;
  /** Its block, which is validated when the pack is created. */
  readonly block: unknown;
  /** Whether each principal has its own process or sign-in (`identity: "caller"`). Otherwise, all callers share one. */
  readonly isPerCaller: boolean;
  /** Prefixes of other tools that begin with its own prefix. */
  readonly avoid: readonly string[];
}

/** Facets and prefixes of tools that belong to the server app. */
const reservedNames = [coreFacet, "store", "relay", ...bundledPacks.map(({ name }) => name)];
const reservedPrefixes = ["tool_", "store_", "relay_", ...bundledPacks.map(({ prefix }) => prefix)];

interface ServerPlans {
  readonly planned: readonly PlannedServer[];
  readonly leftOut: readonly (Exclusion & { readonly name: string })[];
}

/** Decides which servers in `mcpServers` are mounted, and their names. */
export function planServers(settings: Settings): ServerPlans {
  const { mcpServers, file } = settings;
  const ignored = namesIgnored(file, "mcpServers");
  const keys = [...ignored, ...Object.keys(mcpServers)];
  const names = facetNames(keys);
  const prefixes = [...reservedPrefixes, ...names.map(prefixOf)];
  const planned: PlannedServer[] = [];
  const leftOut: ServerPlans["leftOut"][number][] = [];
  for (const [at, key] of keys.entries()) {
    const name = names[at] ?? key;
    const block = mcpServers[key];
    const exclusion = at < ignored.length ? ignoredReason(file) : exclusionOf(name, block, settings);
    if (exclusion !== undefined) {
      leftOut.push({ name, ...exclusion });
      continue;
    }
    const prefix = prefixOf(name);
    const avoid = prefixes.filter((other) => other !== prefix && other.startsWith(prefix));
    planned.push({ key, name, block, isPerCaller: isObject(block) && block["identity"] === "caller", avoid });
  }
  return { planned, leftOut };
}

function exclusionOf(name: string, block: unknown, { deny }: Settings): Exclusion | undefined {
  if (isDisabled(block)) return { reason: "it is disabled", hint: "Remove disabled from its block in mcpServers." };
  if (deny.value.includes(name)) return { reason: "it is denied", hint: `Remove ${name} from deny.` };
  return undefined;
}

/** The facets of servers, from their keys in `mcpServers`. */
export function facetNames(keys: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const key of keys) names.push(freeName(snakeCase(key), [...reservedNames, ...names]));
  return names;
}

/** Derives a free facet: `Sentry` becomes `sentry`. A name of a bundled pack or of its tools gets a prefix: `mcp-memory`. */
function freeName(words: string, taken: readonly string[]): string {
  const maxLength = 36;
  const plain = (/^[a-z]/.test(words) ? words : `mcp_${words}`).replace(/_$/, "").slice(0, maxLength);
  const isFree = (name: string) => !taken.includes(name) && !reservedPrefixes.includes(prefixOf(name));
  const name = plain.replaceAll("_", "-").replace(/-+$/, "");
  if (isFree(name)) return name;
  if (isFree(`mcp-${name}`)) return `mcp-${name}`;
  for (let at = 2; ; at += 1) if (isFree(`mcp-${name}-${at}`)) return `mcp-${name}-${at}`;
}

/** The prefix of the tool names of a facet. */
export function prefixOf(name: string): string {
  return `${name.replaceAll("-", "_")}_`;
}
