import path from "node:path";
import { isObject } from "@toolpacks/core";
import type { Machine } from "../machine.ts";
import type { HookClient, HookPurpose } from "./hook-clients.ts";

/** An event of a client's session, which its hook gets on stdin. */
export interface SessionEvent {
  readonly purpose: HookPurpose;
  readonly session: string;
  /** Path of the transcript. */
  readonly transcript: string | undefined;
  /** Why the client compacts or ends the session. */
  readonly cause: string;
  /** Absolute path of the session's folder. */
  readonly project: string | undefined;
}

/** Parses the event of a client. Undefined: it is for the hook of another client. @throws Error for another form, or another event */
export function readSessionEvent(
  client: HookClient,
  text: string,
  environment: Machine["environment"],
): SessionEvent | undefined {
  const input: unknown = JSON.parse(text);
  if (!isObject(input)) throw new Error("stdin: expected a JSON object");
  // Cursor can also run the hooks of Claude Code. Cursor's own hooks file is the one to use there.
  if (client.id !== "cursor" && input["cursor_version"] !== undefined) return undefined;
  const { hook_event_name: event } = input;
  const purpose = (["start", "compaction", "end"] as const).find((one) => client.events[one] === event);
  if (purpose === undefined) {
    const { start, compaction, end } = client.events;
    const expected = `${start}, ${compaction} or ${end}`;
    throw new Error(`hook_event_name: expected ${expected}, received ${JSON.stringify(event)}`);
  }
  const field = (name: string) => (typeof input[name] === "string" ? input[name] || undefined : undefined);
  const folder = client.projectOf(input, environment);
  return {
    purpose,
    session: field("session_id") ?? field("conversation_id") ?? "unknown",
    transcript: field("transcript_path"),
    cause: field(purpose === "end" ? "reason" : "trigger") ?? "unknown",
    project: typeof folder === "string" && path.isAbsolute(folder) ? folder : undefined,
  };
}
