import { createToolFinder, searchable } from "@toolpacks/surface/search";
import { type Io, print, printJson, printTable, waitForServers } from "@toolpacks/terminal";
import type { Flags } from "../config/settings.ts";
import { meaningOptions } from "../embeddings.ts";
import { createRuntime } from "../mount/runtime.ts";

export interface SearchFlags extends Flags {
  readonly limit: number;
  readonly json?: boolean;
}

/** `toolpacks search`: ranks the mounted tools for a sentence, after all other servers have listed theirs. */
export async function search(io: Io, flags: SearchFlags, query: string): Promise<void> {
  const { surface, mounting, settings, log, finish } = await createRuntime(flags, { io, quiet: "warn" });
  try {
    await waitForServers(io, mounting.upstreams);
    const tools = (await surface.catalog.entries()).map((entry) => searchable(entry));
    const finder = createToolFinder({ ...meaningOptions(settings), onWarning: (message) => log.warn(message) });
    finder.update(tools);
    const { hits, topCount, weak } = await finder.find(query, { limit: flags.limit });
    const found = hits.flatMap(({ at }) => tools.slice(at, at + 1));
    if (flags.json === true) return printJson(io, { query, names: found.map(({ name }) => name) });
    const rows = found.map(({ name, pack, description }, at) => [
      at + 1,
      name,
      pack,
      description.trim().split("\n", 1)[0],
    ]);
    print(io, query);
    printTable(io, { columns: ["rank", "tool", "pack", "description"].map((title) => ({ title })), rows });
    const note = settings.write.value ? "" : "; those that change files are ranked with --write";
    print(io, weak ? "(weak: no tool says much of this)" : `(tool_search answers the first ${topCount}${note})`, "");
  } finally {
    await finish();
  }
}
