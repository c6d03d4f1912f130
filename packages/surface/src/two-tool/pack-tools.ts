import { nearest, type Catalog, type CatalogEntry, type Intent, type JsonSchema } from "@toolpacks/core";

/** The tools of a pack by short name. */
export interface PackTools {
  readonly pack: string;
  readonly byShortName: ReadonlyMap<string, CatalogEntry>;
}

/** All callable tools by pack, in mounting order. Packs without a tool are left out. */
export async function packTools(catalog: Catalog): Promise<readonly PackTools[]> {
  const entries = await catalog.entries();
  return catalog.packs.flatMap(({ name }) => {
    const own = entries.filter(({ facet }) => facet === name).map(withoutIntent);
    const prefix = sharedPrefix(own.map(({ tool }) => tool.name));
    const byShortName = new Map(own.map((entry) => [entry.tool.name.slice(prefix.length), entry]));
    return own.length === 0 ? [] : [{ pack: name, byShortName }];
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

/** Names of the call context's fields. A tool on the two-tool surface needs `fromIntent` for a parameter of such a name. */
export const intentFields: readonly (keyof Intent)[] = ["workspaceId", "sessionId", "memory", "goal", "constraints"];

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
