import { estimateTokens, promptMetadata } from "@toolpacks/core";
import type { Surface } from "@toolpacks/surface";

/** Estimated tokens of a list from which on another surface is worth a note. */
const minTokens = 10_000;

/**
 * Says that a direct list is large, and which surfaces have small ones. Tools of other servers count once they are known: no server is started for the note.
 * Undefined for a list of usual size.
 */
export async function largeListNote({ catalog, exposed }: Surface): Promise<string | undefined> {
  const packs = catalog.packs.filter(({ name }) => exposed.includes(name));
  const own = packs.filter(({ remote }) => remote === undefined).map(({ name }) => name);
  const tools = [
    ...(await catalog.entriesOf(own)).map(({ tool }) => tool),
    ...packs.flatMap(({ remote }) => remote?.knownTools() ?? []),
  ];
  const tokens = estimateTokens(promptMetadata(tools));
  if (tokens < minTokens) return undefined;
  const about = Math.round(tokens / 1_000) * 1_000;
  return (
    `each conversation of a client that lists all tools begins with about ${about.toLocaleString("en")} tokens for these ${tools.length}; ` +
    "--surface discovery lists about 900 tokens, --surface two-tool about 600"
  );
}
