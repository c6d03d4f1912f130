import type { Tool } from "@toolpacks/core";
import { singleLine } from "./clean-text.ts";
import type { Offer } from "./offer.ts";
import { toolStems } from "./tool-stems.ts";

const maxCharacters = 140;
/** A title is a name. */
const maxTitleCharacters = 60;

interface Server {
  /** The name in the configuration. */
  readonly name: string;
  /** The prefix of its tools. */
  readonly prefix: string;
  readonly offer: Offer;
  readonly tools: readonly Tool[];
}

/**
 * One line about a server: its own title and description, or the beginning of its instructions, else what the names of its tools are about. Its words are
 * untrusted: they are cleaned and cut, and left out if they look like an attack.
 */
export async function aboutServer({ name, prefix, offer, tools }: Server): Promise<string> {
  const { title, description } = offer.server;
  const own = await unsuspicious([
    title !== undefined && title.toLowerCase() !== name.toLowerCase() ? cut(title, maxTitleCharacters) : "",
    firstSentence(description ?? offer.description ?? ""),
  ]);
  if (own !== "") return cut(own, maxCharacters);
  const stems = toolStems(tools.map((tool) => tool.name.slice(tool.name.startsWith(prefix) ? prefix.length : 0)));
  return stems ?? "another MCP server";
}

async function unsuspicious(texts: readonly string[]): Promise<string> {
  const said = texts.filter((text) => text !== "").join(": ");
  if (said === "") return "";
  const { textFindings } = await import("./suspicious-text.ts");
  return textFindings(texts.join("\n")).length > 0 ? "" : said;
}

/** The first sentence as one line, with at most 500 characters. Markdown headings are not sentences. */
function firstSentence(text: string): string {
  const start = text.slice(0, 2_000).replace(/^(?:\s*#[^\n]*\n)+/, "");
  const line = singleLine(start).slice(0, 500);
  const end = line.search(/(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?:\s|$)/i);
  return end < 0 ? line : line.slice(0, end);
}

function cut(text: string, max: number): string {
  const line = singleLine(text);
  return line.length > max ? `${line.slice(0, max).trimEnd()}…` : line;
}
