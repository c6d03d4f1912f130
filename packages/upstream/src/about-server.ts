import { singleLine } from "./clean-text.ts";
import type { Offer } from "./offer.ts";

const maxCharacters = 140;

/**
 * One line about a server: its own title and description, or the beginning of its instructions. Its words are untrusted: they are cleaned and cut, and left
 * out if they look like an attack.
 *
 * @param name the server's name in the configuration
 */
export async function aboutServer(name: string, { server, description = "" }: Offer): Promise<string> {
  const { title = "" } = server;
  const isNamed = title !== "" && title.toLowerCase() !== name.toLowerCase();
  const said = [isNamed ? singleLine(title).slice(0, 60) : "", firstSentence(server.description ?? description)];
  const { textFindings } = await import("./suspicious-text.ts");
  const own = said.filter((text) => text !== "").join(": ");
  return own === "" || textFindings(own).length > 0 ? "another MCP server" : own.slice(0, maxCharacters);
}

/** The first sentence as one line. Markdown headings are not sentences. */
function firstSentence(text: string): string {
  const line = singleLine(text.slice(0, 2_000).replace(/^(?:\s*#[^\n]*\n)+/, "")).slice(0, 500);
  const end = line.search(/(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?:\s|$)/i);
  return end < 0 ? line : line.slice(0, end);
}
