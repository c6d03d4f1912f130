import { ConfigurationError } from "@toolpacks/core";
import { createToolFinder, searchable, type Searchable } from "@toolpacks/surface/search";
import { type Io, print, printJson, printTable, waitForServers } from "@toolpacks/terminal";
import { readSettings } from "../config/read-settings.ts";
import type { Flags, Settings } from "../config/settings.ts";
import { meaningOptions } from "../embeddings.ts";
import { createLog, logTo, type Log } from "../log.ts";
import { readCatalog, readQueries } from "./catalog-file.ts";

export interface SearchFlags extends Flags {
  readonly catalog?: string;
  readonly queries?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `toolpacks search`: ranks the mounted tools, or the tools in a file, for one query or for each query in a file. */
export async function search(io: Io, flags: SearchFlags, sentence: string | undefined): Promise<void> {
  const sentences = await readSentences(io, flags, sentence);
  const { tools, settings, log, note = "" } = await (flags.catalog === undefined ? mountedTools : fileTools)(io, flags);
  const finder = createToolFinder({ ...meaningOptions(settings), onWarning: (message) => log.warn(message) });
  finder.update(tools);
  // The first query builds the index, and the first unknown word builds the index of spelling corrections.
  await finder.find("toolpacks", { limit: 1 });
  for (const query of sentences) {
    const started = performance.now();
    const { hits, topCount, weak } = await finder.find(query, { limit: flags.limit });
    const ms = performance.now() - started;
    const found = hits.flatMap(({ at }) => tools.slice(at, at + 1));
    if (flags.json === true) printJson(io, { query, names: found.map(({ name }) => name), ms: Number(ms.toFixed(3)) });
    else {
      print(io, query);
      printHits(io, found);
      print(io, weak ? "(weak: no tool says much of this)" : `(tool_search answers the first ${topCount}${note})`, "");
    }
  }
}

interface RankedCatalog {
  readonly tools: readonly Searchable[];
  readonly settings: Settings;
  readonly log: Log;
  /** What is not ranked. */
  readonly note?: string;
}

/** The mounted tools, after all other servers have listed theirs. */
async function mountedTools(io: Io, flags: SearchFlags): Promise<RankedCatalog> {
  const { createRuntime } = await import("../mount/runtime.ts");
  const { surface, mounting, settings, log, finish } = await createRuntime(flags, { io, quiet: "warn" });
  try {
    await waitForServers(io, mounting.upstreams);
    const tools = (await surface.catalog.entries()).map((entry) => searchable(entry));
    const note = settings.write.value ? "" : "; those that change files are ranked with --write";
    return { tools, settings, log, note };
  } finally {
    await finish();
  }
}

/** The tools of a JSON or JSONL file. */
async function fileTools(io: Io, flags: SearchFlags): Promise<RankedCatalog> {
  const tools = await readCatalog(io.cwd, flags.catalog ?? "");
  return { tools, settings: await readSettings(io, flags), log: createLog(flags.logLevel ?? "warn", logTo(io)) };
}

async function readSentences({ cwd }: Io, { queries }: SearchFlags, sentence: string | undefined) {
  const own = sentence === undefined ? [] : [sentence];
  if (queries !== undefined) return [...own, ...(await readQueries(cwd, queries))];
  if (own.length > 0) return own;
  throw new ConfigurationError("search: expected a sentence, or --queries <file>");
}

function printHits(io: Io, hits: readonly Searchable[]): void {
  const rows = hits.map(({ name, pack, description }, at) => [
    at + 1,
    name,
    pack,
    description.trim().split("\n", 1)[0],
  ]);
  printTable(io, { columns: ["rank", "tool", "pack", "description"].map((title) => ({ title })), rows });
}
