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

/** The arguments of `state_save` for a session that its client is about to compact. Secrets are masked. */
export function compactionState({ client, session, transcript, trigger }: Compaction, now = new Date()) {
  const { lastPrompt, lastAnswer, files, problem } = readTail(transcript);
  const memory = [
    `Saved before a compaction (${cut(trigger, 20)}) of ${client}.`,
    ...(lastAnswer === undefined ? [] : [`The agent's last message: ${lastAnswer}`]),
    ...(problem === undefined ? [] : [`The transcript could not be read: ${problem}`]),
  ].join("\n");
  const goal = lastPrompt === undefined ? "" : cut(lastPrompt, maxGoalLength).trim();
  return {
    name: `${client}-${cut(session, 200).slice(0, 8)}-${now.toISOString()}`,
    memory: cut(memory, maxMemoryLength),
    goal: goal === "" ? "unknown: the transcript has no prompt of the user" : goal,
    session: cut(session, 200),
    ...(files.length > 0 && { files: files.map((file) => cut(file, 1_000)) }),
  };
}

function readTail(transcript: string | undefined): TranscriptTail & { readonly problem?: string } {
  const none = { lastPrompt: undefined, lastAnswer: undefined, files: [] };
  if (transcript === undefined) return { ...none, problem: "the client named none" };
  try {
    return readTranscriptTail(transcript);
  } catch (error) {
    return { ...none, problem: errorText(error) };
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
