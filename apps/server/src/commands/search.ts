import { ConfigurationError } from "@toolpacks/core";
import { createToolFinder, searchable, type Searchable, type ToolFinder } from "@toolpacks/surface/search";
import { table, type Io, print, printJson, waitForServers } from "@toolpacks/terminal";
import { readCatalog, readQueries } from "../catalog-file.ts";
import { readSettings } from "../config/read-settings.ts";
import type { Flags, Settings } from "../config/settings.ts";
import { meaningOptions } from "../embeddings.ts";
import { createLog, logTo, type Log } from "../log.ts";

export interface SearchFlags {
  readonly catalog?: string;
  readonly queries?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** The best tools for a sentence. */
interface RankedTools {
  /** Best first. */
  readonly hits: readonly Pick<Searchable, "name" | "pack" | "description">[];
  /** Number of hits that `tool_search` answers. */
  readonly topCount: number;
  /** Whether no tool says much of the sentence. */
  readonly weak: boolean;
  /** Duration of the ranking, in ms. */
  readonly ms: number;
}

/** `toolpacks search`: ranks the mounted tools, or the tools in a file, for one query or for each query in a file. */
export async function search(io: Io, flags: Flags & SearchFlags, sentence: string | undefined): Promise<void> {
  const sentences = await readSentences(io, sentence, flags.queries);
  const { tools, finder } = await (flags.catalog === undefined ? mountedTools(io, flags) : fileTools(io, flags));
  finder.update(tools);
  // The first query builds the index, and the first unknown word builds the index of spelling corrections.
  await finder.find("toolpacks", { limit: 1 });
  for (const query of sentences) {
    const started = performance.now();
    const { hits, topCount, weak } = await finder.find(query, { limit: flags.limit });
    const ms = performance.now() - started;
    const found = hits.flatMap(({ at }) => tools.slice(at, at + 1));
    if (flags.json === true) printJson(io, { query, names: found.map(({ name }) => name), ms: Number(ms.toFixed(3)) });
    else print(io, ...render(query, { hits: found, topCount, weak, ms }));
  }
}

interface RankedCatalog {
  readonly tools: readonly Searchable[];
  readonly finder: ToolFinder;
}

/** The mounted tools, after all other servers have listed theirs. */
async function mountedTools(io: Io, flags: Flags): Promise<RankedCatalog> {
  const { createRuntime } = await import("../mount/runtime.ts");
  const { surface, mounting, settings, log, finish } = await createRuntime(flags, { io, quiet: "warn" });
  try {
    await waitForServers(io, mounting.upstreams);
    const tools = (await surface.catalog.entries()).map(searchable);
    return { tools, finder: finderOf(settings, log) };
  } finally {
    await finish();
  }
}

/** The tools of a JSON or JSONL file. */
async function fileTools(io: Io, flags: Flags & SearchFlags): Promise<RankedCatalog> {
  const tools = await readCatalog(io.cwd, flags.catalog ?? "");
  return { tools, finder: finderOf(await readSettings(io, flags), createLog(flags.logLevel ?? "warn", logTo(io))) };
}

function finderOf(settings: Settings, log: Log): ToolFinder {
  return createToolFinder({ ...meaningOptions(settings), onWarning: (message) => log.warn(message) });
}

async function readSentences(
  { cwd }: Io,
  sentence: string | undefined,
  file: string | undefined,
): Promise<readonly string[]> {
  if (file !== undefined) return [...(sentence === undefined ? [] : [sentence]), ...(await readQueries(cwd, file))];
  if (sentence !== undefined) return [sentence];
  throw new ConfigurationError("search: expected a sentence, or --queries <file>");
}

/** Maximum characters of a description in the output. */
const maxDescriptionLength = 80;

function render(query: string, { hits, topCount, weak }: RankedTools): readonly string[] {
  const rows = hits.map(({ name, pack = "", description }, at) => [at + 1, name, pack, beginning(description)]);
  const verdict = weak ? "weak: no tool says much of this" : `tool_search answers the first ${topCount}`;
  return [query, ...table(rows), `(${verdict})`, ""];
}

function beginning(description: string): string {
  const [first = ""] = description.trim().split("\n", 1);
  return first.length > maxDescriptionLength ? `${first.slice(0, maxDescriptionLength - 1)}…` : first;
}
