import { coreFacet, ToolError, type CatalogEntry, type Outcome, type Pack, type Tool } from "@toolpacks/core";
import type { Surface } from "@toolpacks/surface";
import { waitForServers, type Io, printError } from "@toolpacks/terminal";
import type { UpstreamPack } from "@toolpacks/upstream";
import type { CommandCall, CommandTool, NamedTool, ToolSource } from "./command-tool.ts";
import { findTool } from "./tool-words.ts";

/** Mounted packs and their tools. */
export interface MountedTools {
  readonly surface: Surface;
  readonly packs: readonly Pick<Pack, "name" | "description">[];
  /** The packs of other servers. */
  readonly servers: readonly UpstreamPack[];
  /** Ends what the mounting has started. */
  readonly finish: () => Promise<void>;
}

/** Opens mounted tools, which closing ends. */
export function openMounted(io: Io, mounted: MountedTools): ToolSource {
  return new MountedSource(io, mounted);
}

/** The tools of the catalog. Other servers are not started: their tools are those that they had the last time. */
export async function knownTools({ surface }: MountedTools): Promise<readonly CommandTool[]> {
  return (await surface.catalog.entries()).map(ofEntry);
}

class MountedSource implements ToolSource {
  readonly #io: Io;
  readonly #mounted: MountedTools;

  constructor(io: Io, mounted: MountedTools) {
    this.#io = io;
    this.#mounted = mounted;
  }

  get packs(): readonly string[] {
    return this.#mounted.packs.map(({ name }) => name);
  }

  async find(words: readonly string[]): Promise<NamedTool | undefined> {
    const ofPack = await this.toolsOf(words[0] ?? "");
    // Other servers are not started for a tool that they had the last time, or that another pack has.
    const known = findTool(ofPack ?? [], words) ?? findTool(await this.#all(), words);
    if (known !== undefined) return known;
    await this.#wait(() => true);
    return findTool(await this.#all(), words);
  }

  async toolsOf(name: string): Promise<readonly CommandTool[] | undefined> {
    const { surface, packs } = this.#mounted;
    if (packs.every((pack) => pack.name !== name)) return undefined;
    await this.#wait(({ name: server }) => server === name);
    return (await surface.catalog.entriesOf([name])).filter(({ facet }) => facet === name).map(ofEntry);
  }

  async #all(): Promise<readonly CommandTool[]> {
    const core = (await this.#mounted.surface.corePack.tools()).map((tool) => ofEntry({ tool, facet: coreFacet }));
    return [...core, ...(await knownTools(this.#mounted))];
  }

  async tool(name: string): Promise<CommandTool> {
    const { surface } = this.#mounted;
    await this.#waitForOwner(name);
    const core = (await surface.corePack.tools()).find((tool) => tool.name === name);
    if (core !== undefined) return ofEntry({ tool: core, facet: coreFacet });
    const found = await surface.catalog.resolve(name);
    if (!("failure" in found)) return ofEntry(found);
    const { code, message, hint } = found.failure;
    throw new ToolError(code, message, hint);
  }

  async call({ name, args }: CommandCall): Promise<Outcome> {
    await this.#waitForOwner(name);
    const progress = async (done: number, total?: number, message = "") =>
      printError(this.#io, `[${done}/${total ?? "?"}] ${message}`);
    // A command prints values, not handles.
    const context = { signal: this.#io.signal, resultMode: "full", progress } as const;
    return this.#mounted.surface.call({ name, args, context });
  }

  close(): Promise<void> {
    return this.#mounted.finish();
  }

  #waitForOwner(tool: string): Promise<void> {
    return this.#wait(({ remote }) => tool.startsWith(remote.prefix));
  }

  /** Waits until other servers have listed their tools, and shows on stderr which of them have not. */
  #wait(isAwaited: (pack: UpstreamPack) => boolean): Promise<void> {
    return waitForServers(this.#io, this.#mounted.servers.filter(isAwaited));
  }
}

function ofEntry({ tool, facet }: Pick<CatalogEntry, "facet"> & { readonly tool: Tool }): CommandTool {
  const { name, description, input, output } = tool;
  return { name, pack: facet, description, schemas: async () => ({ input: input.full(), output: output?.full() }) };
}
