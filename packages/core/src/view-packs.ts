import { remoteOf } from "./catalog-index.ts";
import type { Pack } from "./pack.ts";
import type { Remote } from "./remote.ts";
import { isGranted, isRestricted, isToolGranted, readOnlyRefusal, type Grant, type Rights } from "./rights.ts";
import { ToolError } from "./tool-error.ts";
import type { CatalogEntry, StepType, ToolAccess } from "./tool.ts";

/** The packs of which the rights allow anything. Of a pack that is not granted whole, only the granted tools are left. */
export async function allowedPacks(packs: readonly Pack[], rights: Rights): Promise<readonly Pack[]> {
  const { deny = [], grants } = rights;
  const allowed = packs.filter(({ name }) => !deny.includes(name));
  if (grants === undefined) return allowed;
  const found = await Promise.all(
    allowed.map(async (pack) => {
      const facet = pack.name;
      if (isGranted({ facet, mutates: true }, rights)) return pack;
      if (isGranted({ facet, mutates: false }, rights)) return withoutMutatingSteps(pack);
      return (await hasGrantedTool(pack, packs, grants)) ? onlyTools(pack) : undefined;
    }),
  );
  return found.filter((pack) => pack !== undefined);
}

/** Whether a tool of the pack is granted by its name. A remote is not asked: a name with its prefix belongs to it. */
async function hasGrantedTool(pack: Pack, packs: readonly Pack[], grants: readonly Grant[]): Promise<boolean> {
  const tools = grants.flatMap((grant) => grant.tools ?? []);
  if (tools.length === 0) return false;
  if (pack.remote !== undefined) return tools.some((name) => remoteOf(packs, name) === pack);
  return (await pack.tools()).some((tool) => isToolGranted({ tool, facet: pack.name }, { grants }));
}

function withoutMutatingSteps({ steps, ...pack }: Pack): Pack {
  if (steps === undefined) return pack;
  return { ...pack, steps: async () => (await steps()).filter(({ mutates }) => !mutates) };
}

/** The pack without its instructions, kinds, steps, resources and changing prompts, which are only granted with the whole pack. */
function onlyTools(whole: Pack): Pack {
  const { instructions: _text, steps: _steps, resources: _resources, promptSource: _prompts, remote, ...pack } = whole;
  return { ...pack, kinds: [], ...(remote && { remote: onlyToolsOf(remote) }) };
}

function onlyToolsOf(remote: Remote): Remote {
  return {
    prefix: remote.prefix,
    knownTools: () => remote.knownTools(),
    missing: (name) => remote.missing(name),
    watch: (changed) => remote.watch(changed),
    end: () => remote.end(),
    resources: async () => [],
    resourceTemplates: async () => [],
    owns: () => false,
    read: (uri) => Promise.reject(new ToolError("not_found", `there is no resource ${uri.slice(0, 200)}`)),
    prompts: async () => [],
    prompt: (name) =>
      Promise.reject(new ToolError("invalid_input", `there is no prompt ${JSON.stringify(name.slice(0, 64))}`)),
  };
}

/** The packs of a view of a catalog. */
export interface PackView extends Pick<ToolAccess, "stepTypes" | "resolveStep" | "kinds"> {
  /** The mounted packs of which anything may be used, in mounting order. Of a pack that is used in part, only that part. */
  readonly packs: readonly Pack[];
  /** The instructions of a pack. Undefined if it has none, or they name a tool of the pack that may not be used. */
  instructionsOf(pack: Pack): Promise<string | undefined>;
}

/**
 * Creates the packs' part of a view.
 *
 * @param packs the packs of which the rights allow anything
 * @param isUsable whether the rights allow a tool
 */
export function viewPacks(
  packs: readonly Pack[],
  rights: Rights,
  isUsable: (entry: CatalogEntry) => boolean,
): PackView {
  const types = stepTypesOf(packs);
  return {
    packs,
    async instructionsOf(pack) {
      const { name: facet, instructions, remote } = pack;
      if (instructions === undefined || !isRestricted(rights)) return instructions;
      const known = remote === undefined ? await pack.tools() : (remote.knownTools() ?? []);
      const isHidden = known.some((tool) => instructions.includes(tool.name) && !isUsable({ tool, facet }));
      return isHidden ? undefined : instructions;
    },
    kinds: () => packs.flatMap(({ kinds }) => kinds),
    stepTypes: types,
    async resolveStep(name) {
      const known = await types();
      const type = known.get(name);
      if (type !== undefined)
        return rights.readOnly === true && type.mutates ? { failure: readOnlyRefusal(name) } : { type };
      const message = `step: there is no step type ${JSON.stringify(name.slice(0, 64))}`;
      const hint = `Step types: ${[...known.keys()].join(", ") || "none is mounted"}.`;
      return { failure: { code: "not_found", message, hint } };
    },
  };
}

function stepTypesOf(packs: readonly Pack[]): () => Promise<ReadonlyMap<string, StepType>> {
  let known: Promise<ReadonlyMap<string, StepType>> | undefined;
  const read = async () => {
    const lists = await Promise.all(packs.map(async (pack) => (await pack.steps?.()) ?? []));
    const types = new Map<string, StepType>();
    for (const type of lists.flat()) {
      if (types.has(type.name)) throw new Error(`two packs add a step type named ${type.name}: rename one of them`);
      types.set(type.name, type);
    }
    return types;
  };
  return () => (known ??= read());
}
