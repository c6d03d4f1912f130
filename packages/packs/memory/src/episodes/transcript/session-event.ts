/** What a line of a transcript says about its session, in the same form for all clients. */
export type SessionEvent =
  | { readonly type: "session"; readonly session: string; readonly folder: string | undefined }
  /** A name of the session. Of several names, the one with the highest rank counts, and of those the last one. */
  | { readonly type: "title"; readonly rank: number; readonly text: string }
  | { readonly type: "message"; readonly role: "user" | "assistant" | "summary"; readonly text: string }
  | { readonly type: "call"; readonly id: string | undefined; readonly name: string; readonly input: unknown }
  /** The call with this id failed. */
  | { readonly type: "failure"; readonly id: string };

export type PartEvent = Extract<SessionEvent, { type: "message" | "call" | "failure" }>;

/** The event of a message. None if it has no text. */
export function messageOf(role: "user" | "assistant" | "summary", text: string): readonly SessionEvent[] {
  return text.trim() === "" ? [] : [{ type: "message", role, text }];
}

/** Reads the records of one transcript, in their order. */
export interface RecordReader {
  readonly client: string;
  read(record: object): readonly SessionEvent[];
}

/** A field of a JSON object. Undefined if the value is no object or has no such field of its own. */
export function fieldOf(value: unknown, name: string): unknown {
  if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** A field that is a text, and not empty. */
export function textOf(value: unknown, name: string): string | undefined {
  const text = fieldOf(value, name);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The items of a field that is a list. Empty for any other field. */
export function itemsOf(value: unknown, name: string): readonly unknown[] {
  const items = fieldOf(value, name);
  return Array.isArray(items) ? items : [];
}
