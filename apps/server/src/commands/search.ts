import { ConfigurationError } from "@toolpacks/core";
import { createToolFinder } from "@toolpacks/surface/search";
import { table } from "@toolpacks/terminal";
import { readCatalog, readQueries } from "../catalog-file.ts";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { meaningOptions } from "../embeddings.ts";
import type { Io } from "../io.ts";
import { createLog, logTo } from "../log.ts";
import { print, printJson } from "../print.ts";
import { withRequests } from "./open-tools.ts";
import { rankTools } from "./rank-tools.ts";
import type { RankedTools, RankRequest } from "./tool-requests.ts";

export interface SearchFlags {
  readonly catalog?: string;
  readonly queries?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `toolpacks search`: ranks the mounted tools, or the tools in a file, for one query or for each query in a file. */
export async function search(io: Io, flags: Flags & SearchFlags, sentence: string | undefined): Promise<void> {
  const { catalog, limit, json } = flags;
  const sentences = await readSentences(io, sentence, flags.queries);
  const request = { sentences, limit };
  const ranked =
    catalog === undefined
      ? await withRequests({ io, flags, quiet: "warn" }, (send, options) => send("rank", request, options))
      : await rankFile(io, flags, { ...request, catalog });
  for (const [at, found] of ranked.entries()) {
    const query = sentences[at] ?? "";
    if (json === true) {
      printJson(io, { query, names: found.hits.map(({ name }) => name), ms: Number(found.ms.toFixed(3)) });
    } else print(io, ...render(query, found));
  }
}

async function rankFile(
  io: Io,
  flags: Flags,
  request: RankRequest & { readonly catalog: string },
): Promise<readonly RankedTools[]> {
  const tools = await readCatalog(io.cwd, request.catalog);
  const log = createLog(flags.logLevel ?? "warn", logTo(io));
  const settings = await readSettings(io, flags);
  const finder = createToolFinder({
    ...meaningOptions(settings),
    onWarning: (message) => log.warn(message),
  });
  return rankTools(finder, tools, request);
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
