import {
  findTool,
  type NamedTool,
  type CommandTool,
  type CommandCall,
  type ToolSource,
} from "@toolpacks/tool-commands";
import { ToolError, type CatalogEntry, type Outcome, type Tool } from "@toolpacks/core";
import { showWaiting } from "../commands/announce-waiting.ts";
import type { Flags } from "../config/settings.ts";
import { type Io, printError } from "@toolpacks/terminal";
import type { LogLevel } from "../log.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";

/** Opens the tools of a runtime of this process, which closing ends. */
export async function openTools(io: Io, flags: Flags, quiet: LogLevel = "error"): Promise<ToolSource> {
  return new RuntimeTools(io, await createRuntime(flags, { io, quiet }));
}

/** The mounted packs and their tools, for a shell. Other servers are not started: their tools are those that they had the last time. */
export async function knownTools(io: Io, flags: Flags) {
  const { surface, mounting, finish } = await createRuntime({ ...flags, logLevel: "silent" }, { io });
  const tools = (await surface.catalog.entries()).map(ofEntry);
  await finish();
  return { packs: mounting.packs, tools };
}

class RuntimeTools implements ToolSource {
  readonly #io: Io;
  readonly #runtime: Runtime;

  constructor(io: Io, runtime: Runtime) {
    this.#io = io;
    this.#runtime = runtime;
  }

  get packs(): readonly string[] {
    return this.#runtime.mounting.packs.map(({ name }) => name);
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
    const { surface, mounting } = this.#runtime;
    if (mounting.packs.every((pack) => pack.name !== name)) return undefined;
    await this.#wait(({ name: server }) => server === name);
    return (await surface.catalog.entriesOf([name])).filter(({ facet }) => facet === name).map(ofEntry);
  }

  async #all(): Promise<readonly CommandTool[]> {
    const { surface } = this.#runtime;
    const core = (await surface.corePack.tools()).map((tool) => ({ tool, facet: "core" }));
    return [...core, ...(await surface.catalog.entries())].map(ofEntry);
  }

  async tool(name: string): Promise<CommandTool> {
    const { surface } = this.#runtime;
    await this.#waitForOwner(name);
    const core = (await surface.corePack.tools()).find((tool) => tool.name === name);
    if (core !== undefined) return ofEntry({ tool: core, facet: "core" });
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
    return this.#runtime.surface.call({ name, args, context });
  }

  close(): Promise<void> {
    return this.#runtime.finish();
  }

  #waitForOwner(tool: string): Promise<void> {
    return this.#wait(({ remote }) => tool.startsWith(remote.prefix));
  }

  /** Waits until other servers have listed their tools, and shows on stderr which of them have not. */
  async #wait(isAwaited: (pack: Runtime["mounting"]["upstreams"][number]) => boolean): Promise<void> {
    const servers = this.#runtime.mounting.upstreams.filter(isAwaited);
    const waiting = showWaiting(this.#io);
    waiting.update(servers.map(({ name }) => name));
    await Promise.all(servers.map((pack) => pack.ready())).finally(waiting.stop);
  }
}

function ofEntry({ tool, facet }: Pick<CatalogEntry, "facet"> & { readonly tool: Tool }): CommandTool {
  const { name, description, input, output } = tool;
  return { name, pack: facet, description, schemas: async () => ({ input: input.full(), output: output?.full() }) };
}
