import { nearest, type Catalog, type CatalogEntry, type Intent, type JsonSchema } from "@toolpacks/core";

/** A pack's tools under the short names that they have within it. */
export interface PackTools {
  readonly pack: string;
  readonly byShortName: ReadonlyMap<string, CatalogEntry>;
}

/** Every callable tool by pack, in mounting order. Packs without one are left out. */
export async function packTools(catalog: Catalog): Promise<readonly PackTools[]> {
  const entries = await catalog.entries();
  return catalog.packs.flatMap(({ name }) => {
    const own = entries.filter(({ facet }) => facet === name).map(withoutIntent);
    const prefix = sharedPrefix(own.map(({ tool }) => tool.name));
    const byShortName = new Map(own.map((entry) => [entry.tool.name.slice(prefix.length), entry]));
    return own.length === 0 ? [] : [{ pack: name, byShortName }];
  });
}

/** A tool as a caller with an intent sees it: what the context says already is not asked for again. */
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

/** `fs_` of `fs_read` and `fs_write`; of one tool alone, what stands before its first underscore. */
function sharedPrefix(names: readonly string[]): string {
  const first = names[0] ?? "";
  const prefix = first.slice(0, first.indexOf("_") + 1);
  return names.every((name) => name.startsWith(prefix) && name.length > prefix.length) ? prefix : "";
}

/** A tool of a pack by its short or its whole name, or what to say of a name that is none. */
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
  const known = [...byShortName.keys()];
  const near = nearest(name, known);
  const there = near.length > 0 ? `nearest: ${near.join(", ")}` : `it has ${known.slice(0, 20).join(", ")}`;
  return { unknown: `pack ${pack} has no tool ${quote(name)}; ${there}` };
}

export function unknownPack(packs: readonly PackTools[], name: string): string {
  const known = packs.map(({ pack }) => pack);
  const near = nearest(name, known);
  return `no pack is named ${quote(name)}; ${near.length > 0 ? `nearest: ${near.join(", ")}` : `there are ${known.join(", ")}`}`;
}

function isNamed({ name, aliases }: CatalogEntry["tool"], wanted: string): boolean {
  return name === wanted || aliases.includes(wanted);
}

function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}

/** Parameter names that a tool on the two-tool surface may not have, unless it declares that they mean the same. */
export const intentFields: readonly (keyof Intent)[] = ["workspaceId", "sessionId", "memory", "goal", "constraints"];

/**
 * Refuses tools with a parameter that the context carries too and that they do not declare as the same: a model would have to say both.
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
