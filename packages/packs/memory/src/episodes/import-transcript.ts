import type { Store } from "@toolpacks/core";
import type { Episode } from "./episode.ts";
import type { BrokenLine } from "./transcript/read-transcript.ts";

/** What an import of a transcript changed. */
export interface ImportedTranscript {
  readonly id: string;
  readonly episode: Episode;
  /** `older`: the episode is known with later messages, and stays unchanged. */
  readonly outcome: "new" | "changed" | "unchanged" | "older";
  /** Parts that are new or changed. */
  readonly written: number;
  /** The first 20 lines that could not be read. */
  readonly brokenLines: readonly BrokenLine[];
  readonly brokenLineCount: number;
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
  return (await import("./write-transcript.ts")).writeTranscript(store, chunks);
}
