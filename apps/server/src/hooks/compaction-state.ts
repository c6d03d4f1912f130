import { errorText } from "@toolpacks/core";
import { maskText } from "@toolpacks/core/mask-secrets";
import { readTranscriptTail, type TranscriptTail } from "./transcript-tail.ts";

const maxGoalLength = 1_000;
const maxMemoryLength = 4_000;
/** Characters after the cut that are also checked for secrets. */
const maskLookahead = 300;

interface Compaction {
  readonly client: string;
  readonly session: string;
  readonly transcript: string | undefined;
  /** Who started it: `auto` or `manual`. */
  readonly trigger: string;
}

/**
 * The arguments of `state_save` for a session that its client is about to compact. Secrets are masked.
 *
 * @throws Error if the transcript tells nothing: an empty state would hide the last one
 */
export function compactionState({ client, session, transcript, trigger }: Compaction, now = new Date()) {
  const { lastPrompt, lastAnswer, files } = readTail(transcript);
  if (lastPrompt === undefined && lastAnswer === undefined) {
    throw new Error("no state is saved: the transcript has no message of the user or the agent");
  }
  const memory = [
    `Saved before a compaction (${cut(trigger, 20)}) of ${client}.`,
    ...(lastAnswer === undefined ? [] : [`The agent's last message: ${lastAnswer}`]),
  ].join("\n");
  return {
    name: `${client}-${cut(session, 200).slice(0, 8)}-${now.toISOString()}`,
    memory: cut(memory, maxMemoryLength),
    goal: cut(lastPrompt ?? "unknown", maxGoalLength),
    session: cut(session, 200),
    ...(files.length > 0 && { files: files.map((file) => cut(file, 1_000)) }),
  };
}

function readTail(transcript: string | undefined): TranscriptTail {
  if (transcript === undefined) throw new Error("no state is saved: the client named no transcript");
  try {
    return readTranscriptTail(transcript);
  } catch (error) {
    throw new Error(`no state is saved: the transcript cannot be read: ${errorText(error)}`, { cause: error });
  }
}

function cut(text: string, maxLength: number): string {
  const masked = maskText(
    text
      .replaceAll("\0", "")
      .slice(0, maxLength + maskLookahead)
      .toWellFormed(),
  );
  return masked.length > maxLength ? `${masked.slice(0, maxLength - 1).toWellFormed()}…` : masked;
}
