import type { SessionTail } from "./transcript/session-tail.ts";

/**
 * Reads the beginning and the end of a transcript: JSON lines of `claude-code`, `codex` or `cursor`. A line of another form is skipped.
 *
 * @throws Error if the file cannot be read
 */
export async function readSessionTail(file: string, client: string): Promise<SessionTail> {
  return (await import("./transcript/session-tail.ts")).readTail(file, client);
}
