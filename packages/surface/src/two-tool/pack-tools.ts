import { clip, nearest, type Catalog, type CatalogEntry, type JsonSchema, type Kind } from "@toolpacks/core";
import { aboutPack } from "../about-pack.ts";
import { intentFields } from "./intent-fields.ts";

/** What a pack has: its tools by short name, and its kinds of record. */
export interface PackTools {
  readonly pack: string;
  /** Resolves to what it is for, in one line. */
  readonly about: () => Promise<string>;
  /** Whether another server has the tools. */
  readonly isRemote: boolean;
  readonly byShortName: ReadonlyMap<string, CatalogEntry>;
  readonly kinds: readonly Kind[];
}

/** All callable tools and all kinds by pack, in mounting order. Packs with neither are left out. */
export async function packTools(catalog: Catalog): Promise<readonly PackTools[]> {
  const entries = await catalog.entries();
  return catalog.packs.flatMap(({ name, description, remote, kinds }) => {
    const own = entries.filter(({ facet }) => facet === name).map(withoutIntent);
    const names = own.map(({ tool }) => tool.name);
    const short = shortNames(name, names);
    const byShortName = new Map(own.map((entry) => [short(entry.tool.name), entry]));
    if (own.length === 0 && kinds.length === 0) return [];
    const about = () => aboutPack({ description, remote });
    return [{ pack: name, about, isRemote: remote !== undefined, byShortName, kinds }];
  });
}

/** A tool without the parameters that the call context fills in. */
function withoutIntent({ tool, facet }: CatalogEntry): CatalogEntry {
  if (tool.fromIntent === undefined) return { tool, facet };
  const filled = new Set(Object.keys(tool.fromIntent));
  const without = (schema: JsonSchema): JsonSchema => {
    const { properties = {}, required = [], ...rest } = schema as { properties?: object; required?: string[] };
    return {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !filled.has(name))),
      required: required.filter((name) => !filled.has(name)),
    };
  };
  const { input } = tool;
  return {
    facet,
    tool: { ...tool, input: { ...input, json: () => without(input.json()), full: () => without(input.full()) } },
  };
}

/** The shared prefix of the names up to the first underscore: `fs_` of `fs_read` and `fs_write`. */
function sharedPrefix(names: readonly string[]): string {
  const first = names[0] ?? "";
  const prefix = first.slice(0, first.indexOf("_") + 1);
  return names.every((name) => name.startsWith(prefix) && name.length > prefix.length) ? prefix : "";
}

/**
 * Shortens the names of a pack's tools by the prefix that all share, such as `fs_`, otherwise by the pack's name where it is the prefix:
 * `memory_remember` is `remember` beside `workspace_list`. Short names are unique.
 */
function shortNames(pack: string, names: readonly string[]): (name: string) => string {
  const shared = sharedPrefix(names);
  if (shared !== "") return (name) => name.slice(shared.length);
  const prefix = `${pack}_`;
  const taken = new Set(names);
  return (name) => {
    const short = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    return short === "" || taken.has(short) ? name : short;
  };
}

/** Finds a tool of a pack by its short or full name. For an unknown name, the text of the error. */
export function findTool(
  packs: readonly PackTools[],
  pack: string,
  name: string,
): { readonly entry: CatalogEntry } | { readonly unknown: string } {
  const found = packs.find((one) => one.pack === pack);
  if (found === undefined) return { unknown: unknownPack(packs, pack) };
  const { byShortName } = found;
  const entry = byShortName.get(name) ?? [...byShortName.values()].find(({ tool }) => isNamed(tool, name));
  if (entry !== undefined) return { entry };
  if (byShortName.size === 0) return { unknown: `pack ${pack} has no tools; ${kindsOf(found, packs)}` };
  const known = suggestion(name, [...byShortName.keys()]);
  return { unknown: `pack ${pack} has no tool ${quote(name)}; ${known}` };
}

/** Says which kinds of record a pack has, and which tools take them. */
export function kindsOf({ kinds }: PackTools, packs: readonly PackTools[]): string {
  const takers = packs.flatMap(({ pack, byShortName }) =>
    [...byShortName].flatMap(([short, { tool }]) => (tool.forKinds === undefined ? [] : [`${pack}: ${short}`])),
  );
  const names = kinds.map(({ name }) => name).join(", ");
  return takers.length === 0 ? `its kinds of record: ${names}` : `${takers.join(", ")} take its kinds: ${names}`;
}

export function unknownPack(packs: readonly PackTools[], name: string): string {
  const known = packs.map(({ pack }) => pack);
  return `no pack is named ${quote(name)}; ${suggestion(name, known)}`;
}

/** The known names nearest to an unknown one. If none is near, the first of all. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near.length > 0 ? `nearest: ${near.join(", ")}` : `there are ${known.slice(0, 20).join(", ")}`;
}

function isNamed({ name, aliases }: CatalogEntry["tool"], wanted: string): boolean {
  return name === wanted || aliases.includes(wanted);
}

function quote(name: string): string {
  return JSON.stringify(clip(name, 64));
}

/**
 * Rejects tools with such a parameter and no `fromIntent`: a model would have to give the value twice.
 *
 * @throws Error that names the tool and the parameter
 */
export function refuseCollisions(packs: readonly PackTools[]): void {
  for (const { byShortName } of packs) {
    for (const { tool } of byShortName.values()) {
      const own = Object.keys(tool.input.json()["properties"] ?? {});
      const twice = intentFields.find((field) => own.includes(field) && tool.fromIntent?.[field] === undefined);
      if (twice === undefined) continue;
      throw new Error(
        `tool ${tool.name}: its parameter ${twice} has the name of one that the context carries; ` +
          `rename it, or declare fromIntent: { ${twice}: "${twice}" } if it means the same`,
      );
    }
  }
}
