import { createToolFinder, type Searchable } from "@toolpacks/surface/search";
import MiniSearch from "minisearch";
import { bm25 } from "./bm25.ts";

/** Ranks tools by a sentence. Returns the indexes of the ten best, best first. */
export interface Ranker {
  readonly name: string;
  index(tools: readonly Searchable[]): (query: string) => readonly number[] | Promise<readonly number[]>;
}

const depth = 10;

/** The tokenizer of FastMCP: splits at other characters than letters and digits, not at camel case. */
const wholeTokens = (text: string) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token.length > 1);

/** Words, with identifiers split into their parts. */
const words = (text: string) => wholeTokens(text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2"));

const nameAndDescription = ({ name, description }: Searchable) => `${name} ${description}`;

const withParameters = (tool: Searchable) => `${nameAndDescription(tool)} ${parameterText(tool)}`;

export const toolpacks = finderRanker("toolpacks", true);
export const toolpacksByWords = finderRanker("toolpacks, words alone", false);

function finderRanker(name: string, meaning: boolean): Ranker {
  return {
    name,
    index(tools) {
      const finder = createToolFinder({ meaning });
      finder.update(tools);
      return async (query) => (await finder.find(query, { limit: depth })).hits.map(({ at }) => at);
    },
  };
}

/** Baseline rankers. */
export const peers: readonly Ranker[] = [
  bm25Ranker("FastMCP's way: BM25, name and description", wholeTokens, nameAndDescription),
  bm25Ranker("FastMCP 3: the same, parameters too", wholeTokens, withParameters),
  bm25Ranker("plain BM25: identifiers split", words, nameAndDescription),
  bm25Ranker("BM25 with parameters", words, withParameters),
  {
    name: "minisearch, its defaults",
    index(tools) {
      const index = new MiniSearch<{ id: number }>({
        fields: ["name", "description", "parameters"],
        tokenize: words,
      });
      index.addAll(tools.map((tool, id) => ({ ...tool, id, parameters: parameterText(tool) })));
      return (query) =>
        index
          .search(query)
          .slice(0, depth)
          .map(({ id }) => Number(id));
    },
  },
];

function bm25Ranker(
  name: string,
  tokens: (text: string) => readonly string[],
  textOf: (tool: Searchable) => string,
): Ranker {
  return {
    name,
    index(tools) {
      const rank = bm25(tools.map((tool) => tokens(textOf(tool))));
      return (query) => rank(tokens(query)).slice(0, depth);
    },
  };
}

function parameterText({ inputSchema }: Searchable): string {
  const properties = (inputSchema?.["properties"] ?? {}) as Record<string, { readonly description?: string }>;
  return Object.entries(properties)
    .map(([name, { description = "" }]) => `${name} ${description}`)
    .join(" ");
}
