import type { SurfaceName } from "@toolpacks/surface";
import { printableText } from "@toolpacks/terminal";
import { isDisabled, planServers, type PlannedServer } from "@toolpacks/upstream/config";
import { isBundled } from "../config/bundled-names.ts";
import type { Settings } from "../config/settings.ts";
import { ignoredReason, namesIgnored } from "../trust/ignored-settings.ts";
import type { BundledPack, Exclusion, PackOptions } from "./bundled-pack.ts";
import { bundledPacks, takenNames } from "./bundled-packs.ts";

/** A bundled pack to create. */
export interface PlannedPack extends PackOptions {
  readonly entry: BundledPack;
}

/** A pack to import, as the config file names it: a path or an npm package. */
export interface ImportedPack {
  readonly specifier: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/** A pack or another server that is not mounted. */
export interface LeftOut extends Exclusion {
  readonly name: string;
  /** Whether the prefix of its tools is unknown, since it was not imported. */
  readonly hasUnknownTools?: boolean;
  /** Whether nobody asked for it, so that a start does not mention it. */
  readonly isOptional?: boolean;
}

/** The facet of the generic record tools. */
const recordFacet = "store";

/** What is mounted, and under which policy. */
export interface MountPlan {
  /** Bundled packs, in the order of lists. */
  readonly bundled: readonly PlannedPack[];
  readonly imported: readonly ImportedPack[];
  /** Other servers. */
  readonly servers: readonly PlannedServer[];
  readonly leftOut: readonly LeftOut[];
  /** The only facet to mount. Undefined: all. */
  readonly facet: string | undefined;
  readonly surface: SurfaceName;
  /** Facets that are listed. Undefined: the surface's default. */
  readonly expose: readonly string[] | undefined;
  /** Facets and tools that cannot be listed, found or called. */
  readonly deny: readonly string[];
  /** Whether every tool that mutates is refused. */
  readonly readOnly: boolean;
  /** How large results are replaced by handles. Undefined: they are not. */
  readonly relay: RelayPlan | undefined;
}

/** Options of the relay, and whether its values are written to the store. */
export interface RelayPlan {
  readonly options: Exclude<Settings["relay"]["value"], boolean | undefined>;
  /** Whether it is on where tools are listed directly too. */
  readonly isOnDirect: boolean;
  readonly isStored: boolean;
  /** Whether tools list output schemas, so that structured content must stay. */
  readonly keepsStructured: boolean;
}

/** Decides from the settings what is mounted. Nothing is read, loaded or started. @throws ConfigurationError for wrong options */
export function planMount(settings: Settings): MountPlan {
  const { packs, facet, surface, expose, deny, readOnly, file } = settings;
  const bundled = bundledPacks.map((entry) => planPack(entry, settings));
  const servers = planOthers(settings);
  const specifiers = Object.keys(packs).filter((name) => !isBundled(name) && packs[name] !== false);
  const notImported = namesIgnored(file, "packs").filter((name) => !isBundled(name));
  return {
    bundled: bundled.flatMap((one) => ("entry" in one ? [one] : [])),
    imported: specifiers.map((specifier) => ({ specifier, options: optionsOf(packs[specifier]) })),
    servers: servers.planned,
    leftOut: [
      ...bundled.flatMap((one) => ("entry" in one ? [] : [one])),
      ...servers.leftOut,
      ...notImported.map((name) => ({ name: printableText(name, 80), hasUnknownTools: true, ...ignoredReason(file) })),
    ],
    facet: facet.value,
    surface: facet.value === undefined ? surface.value : "direct",
    // Exposed names have no effect with one facet, so that one config file works with and without it.
    expose: facet.value === undefined ? expose.value : undefined,
    deny: deny.value.filter((name) => !isRelay(name)),
    readOnly: readOnly.value,
    relay: planRelay(settings),
  };
}

function planPack(entry: BundledPack, settings: Settings): PlannedPack | LeftOut {
  const { name } = entry;
  const { facet, packs } = settings;
  // The record tools need the kinds of every pack.
  if (facet.value !== undefined && facet.value !== name && facet.value !== recordFacet) {
    return { name, ...notSelected(facet.value) };
  }
  if (packs[name] === false) {
    return { name, reason: "it is turned off", hint: `Remove "${name}": false from packs in the config file.` };
  }
  if (entry.isOptional === true && packs[name] === undefined && facet.value !== name) {
    const hint = `Add "${name}": true to packs in the config file.`;
    return { name, isOptional: true, reason: "it is off by default", hint };
  }
  const planned = entry.plan(settings);
  return "reason" in planned ? { name, ...planned } : { entry, ...planned };
}

/** Decides which servers in `mcpServers` are mounted. */
function planOthers({ mcpServers, deny, file }: Settings) {
  const ignored = namesIgnored(file, "mcpServers");
  const blocks = [...ignored.map((key) => [key, undefined] as const), ...Object.entries(mcpServers)];
  const exclusionOf = ({ key, name, block }: PlannedServer): Exclusion | undefined => {
    if (ignored.includes(key)) return ignoredReason(file);
    if (isDisabled(block)) return { reason: "it is disabled", hint: "Remove disabled from its block in mcpServers." };
    if (deny.value.includes(name)) return { reason: "it is denied", hint: `Remove ${name} from deny.` };
    return undefined;
  };
  const servers = planServers(blocks, takenNames).map((server) => ({ server, exclusion: exclusionOf(server) }));
  return {
    planned: servers.flatMap(({ server, exclusion }) => (exclusion === undefined ? [server] : [])),
    leftOut: servers.flatMap(({ server: { name }, exclusion }) => (exclusion ? [{ name, ...exclusion }] : [])),
  };
}

/** Why a pack is not mounted beside the only facet. */
export function notSelected(facet: string): Exclusion {
  return { reason: `only ${facet} is mounted`, hint: "Start without --facet." };
}

/**
 * The relay is off when its tool is denied: a model could not read a handle. Where tools are listed directly, it is off by default. A
 * read-only server keeps the values in memory.
 */
function planRelay({ relay, deny, facet, surface, readOnly, results }: Settings): RelayPlan | undefined {
  const { value = facet.value === undefined && surface.value !== "direct" } = relay;
  if (value === false || deny.value.some(isRelay)) return undefined;
  return {
    options: value === true ? {} : value,
    isOnDirect: relay.value !== undefined,
    isStored: !readOnly.value,
    keepsStructured: results.value !== undefined && results.value !== "text",
  };
}

/** Whether a denied name turns the relay off. */
function isRelay(name: string): boolean {
  return name === "relay" || name === "relay_read";
}

function optionsOf(configured: Settings["packs"][string] | undefined): ImportedPack["options"] {
  return typeof configured === "object" ? configured : {};
}
