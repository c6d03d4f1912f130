import { coreFacet, ToolError, type CatalogEntry, type Pack, type Tool } from "@toolpacks/core";
import type { Surface } from "@toolpacks/surface";
import { waitForServers, type Io, printError } from "@toolpacks/terminal";
import type { UpstreamPack } from "@toolpacks/upstream";
import type { CommandTool, ToolSource } from "./command-tool.ts";
import { findTool } from "./tool-words.ts";

/** Mounted packs and their tools. */
export interface MountedTools {
  readonly surface: Surface;
  readonly packs: readonly Pick<Pack, "name" | "description">[];
  /** The packs of other servers. */
  readonly servers: readonly UpstreamPack[];
  /** Called before the first call of a tool, which waits for it. */
  readonly beforeFirstCall?: () => Promise<void>;
  /** Ends what the mounting has started. */
  readonly finish: () => Promise<void>;
}

/** The tools of the catalog. Other servers are not started: their tools are those that they had the last time. */
export async function knownTools({ surface }: Pick<MountedTools, "surface">): Promise<readonly CommandTool[]> {
  return (await surface.catalog.entries()).map(ofEntry);
}

/** Opens mounted tools, which closing ends. */
export function openMounted(io: Io, mounted: MountedTools): ToolSource {
  const { surface, packs, servers, finish } = mounted;
  const coreTools = async () => (await surface.corePack.tools()).map((tool) => ofEntry({ tool, facet: coreFacet }));
  const allTools = async () => [...(await coreTools()), ...(await knownTools({ surface }))];

  /** Waits until other servers have listed their tools, and shows on stderr which of them have not. */
  const wait = (isAwaited: (pack: UpstreamPack) => boolean) => waitForServers(io, servers.filter(isAwaited));
  const waitForOwner = (tool: string) => wait(({ remote }) => tool.startsWith(remote.prefix));

  let prepared: Promise<void> | undefined;

  async function toolsOf(name: string): Promise<readonly CommandTool[] | undefined> {
    if (packs.every((pack) => pack.name !== name)) return undefined;
    await wait(({ name: server }) => server === name);
    return (await surface.catalog.entriesOf([name])).filter(({ facet }) => facet === name).map(ofEntry);
  }

  return {
    packs: packs.map(({ name }) => name),
    toolsOf,
    async find(words) {
      const ofPack = await toolsOf(words[0] ?? "");
      // Other servers are not started for a tool that they had the last time, or that another pack has.
      const known = findTool(ofPack ?? [], words) ?? findTool(await allTools(), words);
      if (known !== undefined) return known;
      await wait(() => true);
      return findTool(await allTools(), words);
    },
    async tool(name) {
      await waitForOwner(name);
      const core = (await coreTools()).find((tool) => tool.name === name);
      if (core !== undefined) return core;
      const found = await surface.catalog.resolve(name);
      if (!("failure" in found)) return ofEntry(found);
      const { code, message, hint } = found.failure;
      throw new ToolError(code, message, hint);
    },
    async call({ name, args }) {
      await waitForOwner(name);
      await (prepared ??= mounted.beforeFirstCall?.());
      const progress = async (done: number, total?: number, message = "") =>
        printError(io, `[${done}/${total ?? "?"}] ${message}`);
      // A command prints values, not handles.
      const context = { signal: io.signal, resultMode: "full", progress } as const;
      return surface.call({ name, args, context });
    },
    close: finish,
  };
}

function ofEntry({ tool, facet }: Pick<CatalogEntry, "facet"> & { readonly tool: Tool }): CommandTool {
  const { name, description, input, output } = tool;
  return { name, pack: facet, description, schemas: async () => ({ input: input.full(), output: output?.full() }) };
}
