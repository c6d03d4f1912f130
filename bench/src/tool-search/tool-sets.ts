import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Searchable } from "@toolpacks/surface/search";

/** A request and its expected tools: each slot is a tool's name, or several alternatives. */
export interface Question {
  readonly query: string;
  readonly gold: readonly (string | readonly string[])[];
}

/** Tools, and requests whose tools are known. */
export interface ToolSet {
  readonly name: string;
  readonly tools: readonly Searchable[];
  readonly questions: readonly Question[];
}

/** Public sets of tools and requests. They are third-party data, so they are kept outside the repository. */
const publicSets = ["metatool", "bfcl", "sealtools", "stabletoolbench"] as const;

const dataFolder = fileURLToPath(new URL("../../../../shared/data/", import.meta.url));

interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Searchable["inputSchema"];
  readonly server?: string;
}

/** The four public sets. Undefined when they are missing. */
export function readPublicSets(): readonly ToolSet[] | undefined {
  const folder = `${dataFolder}tool-search/`;
  if (!existsSync(folder)) return undefined;
  return publicSets.map((name) => ({
    name,
    tools: (readLines(`${folder}${name}.tools.jsonl`) as readonly Listed[]).map(asSearchable),
    questions: readLines(`${folder}${name}.queries.jsonl`) as readonly Question[],
  }));
}

/** GitHub's MCP server, with sentences written for it here; undefined where its tools are not there. */
export function readGithubSet(): ToolSet | undefined {
  const file = `${dataFolder}github-tools.json`;
  if (!existsSync(file)) return undefined;
  const tools = JSON.parse(readFileSync(file, "utf8")) as readonly Listed[];
  const sentences = fileURLToPath(new URL("./github-sentences.jsonl", import.meta.url));
  return { name: "github", tools: tools.map(asSearchable), questions: readLines(sentences) as readonly Question[] };
}

/** Every second question. Numbers are tuned on the even half and tested on the odd half. */
export function half(set: ToolSet, which: "tuned on" | "held out"): ToolSet {
  const remainder = which === "tuned on" ? 0 : 1;
  return { ...set, questions: set.questions.filter((_, at) => at % 2 === remainder) };
}

function asSearchable({ name, description = "", inputSchema, server }: Listed): Searchable {
  return { name, pack: server, description, inputSchema };
}

function readLines(file: string): readonly unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as unknown);
}
