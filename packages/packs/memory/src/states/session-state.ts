import path from "node:path";
import { errorText } from "@toolpacks/core";
import { readSessionTail } from "../episodes/transcript/session-tail.ts";
import { maskAndCut, maskBeginning } from "../cut-text.ts";

const maxGoalLength = 1_000;
const maxMessages = 6;
/** Characters of one message. A briefing shows all of them. */
const maxMessageLength = 580;

interface SessionMoment {
  readonly client: string;
  readonly session: string;
  readonly transcript: string | undefined;
  /** What the state is saved before: `a compaction (auto)`, `the end of the session (clear)`. */
  readonly before: string;
  /** The folder of the session. Paths of files inside it are relative to it. */
  readonly project: string;
}

/**
 * The arguments of `state_save` for a session that its client is about to compact or to end: the first prompt as the goal, the newest messages as the
 * memory, and files. Secrets are masked.
 *
 * @throws Error if the agent said nothing: such a state would hide the last one
 */
export async function sessionState({ client, session, transcript, before, project }: SessionMoment, now = new Date()) {
  if (transcript === undefined) throw new Error("no state is saved: the client named no transcript");
  const { firstPrompt, messages, files } = await readSessionTail(transcript, client).catch((cause: unknown) => {
    throw new Error(`no state is saved: the transcript cannot be read: ${errorText(cause)}`, { cause });
  });
  if (!messages.some(({ role }) => role === "agent")) {
    throw new Error("no state is saved: the transcript has no message of the agent");
  }
  const newest = messages
    .filter(({ role, text }) => role === "agent" || text !== firstPrompt)
    .toReversed()
    .slice(0, maxMessages);
  return {
    name: `${client}-${maskAndCut(session, 200).slice(0, 8)}-${now.toISOString()}`,
    memory: [
      ...newest.map(({ role, text }) => `${role}: ${cutMiddle(text)}`),
      `(saved before ${maskAndCut(before, 60)} of ${client}; newest message first)`,
    ].join("\n"),
    goal: maskAndCut(firstPrompt ?? "unknown", maxGoalLength),
    session: maskAndCut(session, 200),
    automatic: true,
    ...(files.length > 0 && { files: files.map((file) => maskAndCut(inProject(file, project), 1_000)) }),
  };
}

/** The path of a file from the project's folder, if it is inside. */
function inProject(file: string, project: string): string {
  const relative = path.relative(project, file);
  return relative === "" || relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
}

/** A message on one line. A long one keeps its beginning and more of its end, where agents write what comes next. */
function cutMiddle(text: string): string {
  const line = maskBeginning(text, Infinity).replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxMessageLength) return line;
  const head = Math.floor(maxMessageLength / 3);
  const tail = maxMessageLength - head - 3;
  return `${line.slice(0, head).toWellFormed()} … ${line.slice(-tail).toWellFormed()}`;
}
