import { isDeepStrictEqual } from "node:util";
import { definedOnly, type Store } from "@toolpacks/core";
import {
  episode,
  episodeId,
  episodePart,
  episodePartId,
  everyEpisodePart,
  type Episode,
  type EpisodePart,
} from "./episode.ts";
import { readTranscript, type Transcript } from "./transcript/read-transcript.ts";
import { transcriptLines } from "./transcript/transcript-lines.ts";

/** What an import of a transcript changed. */
export interface ImportedTranscript extends Omit<Transcript, "parts"> {
  readonly id: string;
  /** `older`: the episode is known with later messages, and stays unchanged. */
  readonly outcome: "new" | "changed" | "unchanged" | "older";
  /** Parts that are new or changed. */
  readonly written: number;
}

/**
 * Imports a transcript of Claude Code or Codex into a workspace, as an episode with its parts. Importing a file again changes nothing, and importing it
 * after it has grown adds what is new. An episode that was forgotten is known again.
 *
 * @param chunks the bytes of the file
 * @throws ToolError `invalid_input` for a file of another format or without messages; `too_large` for one of more than 1 GiB
 */
export async function importTranscript(
  store: Store,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<ImportedTranscript> {
  // The whole file is read first: a transaction that waits for its input locks out other writers.
  const { parts, ...transcript } = await readTranscript(transcriptLines(chunks));
  const written = await store.transaction((inside) => writeEpisode(inside, transcript.episode, parts));
  return { ...written, ...transcript };
}

async function writeEpisode(
  store: Store,
  session: Episode,
  parts: Transcript["parts"],
): Promise<Pick<ImportedTranscript, "id" | "outcome" | "written">> {
  const { client, session: name, until = "" } = session;
  const id = episodeId(client, name);
  const before = await store.get(episode, id);
  if (before !== undefined && !before.closed && until < (before.data.until ?? "")) {
    return { id, outcome: "older", written: 0 };
  }
  if (before?.closed === true) await store.reopen(episode, id);
  const records = parts.map((part) => definedOnly({ ...part, episode: id, client }));
  const written = await writeParts(store, id, records);
  const isSame = before !== undefined && !before.closed && isDeepStrictEqual(before.data, session);
  if (!isSame) await store.put(episode, session, { id });
  if (before === undefined) return { id, outcome: "new", written };
  return { id, outcome: isSame && written === 0 ? "unchanged" : "changed", written };
}

/** Writes new and changed parts, and deletes those that a longer session leaves out. */
async function writeParts(store: Store, id: string, parts: readonly EpisodePart[]): Promise<number> {
  const known = new Map(await Array.fromAsync(everyEpisodePart(store, id), (part) => [part.id, part.data] as const));
  let written = 0;
  for (const part of parts) {
    const partId = episodePartId(id, part.part);
    const isSame = isDeepStrictEqual(known.get(partId), part);
    known.delete(partId);
    if (isSame) continue;
    await store.put(episodePart, part, { id: partId });
    written += 1;
  }
  for (const partId of known.keys()) await store.delete(episodePart, partId);
  return written;
}
