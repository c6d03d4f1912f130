import {
  createToolFinder,
  searchable,
  type EmbeddingEndpoint,
  type Ranking,
  type Searchable,
} from "@toolpacks/surface/search";
import { table } from "@toolpacks/core/terminal";
import { readCatalog, readQueries } from "../catalog-file.ts";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { embeddingEndpoint } from "../embeddings.ts";
import { createLog, type Log } from "../log.ts";
import { createRuntime } from "../mount/runtime.ts";
import { print, printJson } from "../print.ts";
import { waitForServers } from "./announce-waiting.ts";

export interface SearchFlags {
  readonly catalog?: string;
  readonly queries?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `toolpacks search`: ranks the mounted tools, or the tools in a file, for one query or for each query in a file. */
export async function search(sentence: string | undefined, flags: Flags & SearchFlags): Promise<void> {
  const queries = await readSentences(sentence, flags.queries);
  const { tools, embeddings, log } = await findTools(flags);
  const finder = createToolFinder({ embeddings, onWarning: (message) => log.warn(message) });
  finder.update(tools);
  // The first query builds the index, and the first unknown word builds the index of spelling corrections.
  await finder.find("toolpacks", { limit: 1 });
  for (const query of queries) {
    const started = performance.now();
    const ranking = await finder.find(query, { limit: flags.limit });
    const ms = performance.now() - started;
    const hits = ranking.hits.flatMap(({ at }) => tools.slice(at, at + 1));
    if (flags.json === true) printJson(describe(query, hits, ms));
    else print(...render(query, hits, ranking));
  }
}

async function readSentences(sentence: string | undefined, file: string | undefined): Promise<readonly string[]> {
  if (file !== undefined) return [...(sentence === undefined ? [] : [sentence]), ...(await readQueries(file))];
  if (sentence !== undefined) return [sentence];
  throw new ConfigurationError("search: expected a sentence, or --queries <file>");
}

interface Found {
  readonly tools: readonly Searchable[];
  readonly embeddings: EmbeddingEndpoint | undefined;
  readonly log: Log;
}

async function findTools(flags: Flags & SearchFlags): Promise<Found> {
  if (flags.catalog !== undefined) {
    const tools = await readCatalog(flags.catalog);
    const settings = await readSettings(flags);
    return { tools, embeddings: embeddingEndpoint(settings), log: createLog(flags.logLevel ?? "warn") };
  }
  const { surface, settings, mounting, finish, log } = await createRuntime(flags, { quiet: "warn" });
  await waitForServers(mounting.upstreams);
  const tools = (await surface.catalog.entries()).map(searchable);
  await finish();
  return { tools, embeddings: embeddingEndpoint(settings), log };
}

function describe(query: string, hits: readonly Searchable[], ms: number) {
  return { query, names: hits.map(({ name }) => name), ms: Number(ms.toFixed(3)) };
}

/** Maximum characters of a description in the output. */
const maxDescriptionLength = 80;

function render(query: string, hits: readonly Searchable[], { topCount, weak }: Ranking): readonly string[] {
  const rows = hits.map(({ name, pack = "", description }, at) => [at + 1, name, pack, beginning(description)]);
  const verdict = weak ? "weak: no tool says much of this" : `tool_search answers the first ${topCount}`;
  return [query, ...table(rows), `(${verdict})`, ""];
}

function beginning(description: string): string {
  const [first = ""] = description.trim().split("\n", 1);
  return first.length > maxDescriptionLength ? `${first.slice(0, maxDescriptionLength - 1)}…` : first;
}
