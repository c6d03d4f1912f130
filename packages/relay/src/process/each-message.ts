import type { MessageInterceptor } from "./message-pipe.ts";
import { parseExactly, parseMessage, writeMessage } from "./message.ts";

/** One message, or one of several in a batch. */
export interface Line {
  /** As it was read: of a short message numbers may have lost their form. */
  readonly message: unknown;
  /** As it can be written again. */
  readonly exactly: () => unknown;
  /** Bytes of the whole line; undefined for a message that is not in memory. */
  readonly bytes: number | undefined;
}

/** Undefined lets a message go on as it came; so does a promise of undefined. */
export type LookAtOne = (line: Line) => Promise<object | "nothing" | undefined> | undefined;

/** Reads lines for somebody who looks at messages. What is no JSON goes on as it came. */
export function eachMessage(lookAtOne: LookAtOne): MessageInterceptor {
  return (message) => {
    const isShort = Buffer.isBuffer(message);
    const parsed = isShort ? parseMessage(message) : parseExactly(message);
    const exactly = lazily(() => (isShort ? parseExactly(message) : parsed));
    const bytes = isShort ? message.length : undefined;
    if (Array.isArray(parsed)) return lookAtBatch({ parsed, exactly, bytes }, lookAtOne);
    const looking = lookAtOne({ message: parsed, exactly, bytes });
    return looking?.then((change) => (typeof change === "object" ? writeMessage(change) : change));
  };
}

interface Batch {
  readonly parsed: readonly unknown[];
  readonly exactly: () => unknown;
  readonly bytes: number | undefined;
}

function lookAtBatch({ parsed, exactly, bytes }: Batch, lookAtOne: LookAtOne): ReturnType<MessageInterceptor> {
  const exact = () => exactly() as readonly unknown[];
  const looking = parsed.map((message, at) => lookAtOne({ message, exactly: () => exact()[at], bytes }));
  if (looking.every((one) => one === undefined)) return undefined;
  return Promise.all(looking.map(async (one) => one)).then((changes) => {
    if (changes.every((change) => change === undefined)) return undefined;
    const left = changes.map((change, at) => change ?? exact()[at]).filter((one) => one !== "nothing");
    return left.length === 0 ? "nothing" : writeMessage(left);
  });
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
