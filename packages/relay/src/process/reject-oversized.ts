import type { Change } from "./message-pipe.ts";
import { asFields, isNone } from "./exchange.ts";
import { parseExactly, writeMessage, type LongMessage } from "./message.ts";
import { endBytes } from "./message-ends.ts";
import { peekEnds, type PeekedEnds } from "./peek-ends.ts";

/** Who is told of a message that found no room. */
export interface Refusal {
  /** Gets an error in place of an answer. */
  readonly tellSender: (message: object) => void;
  /** Told of a message whose id cannot be read. */
  readonly onError: (error: unknown) => void;
  /** Told which request has an error for its answer. */
  readonly onAnswer?: (id: unknown) => void;
}

const error = { code: -32_603, message: "the message is too long for the room that is left on the disk and in memory" };
const untold = `nobody is told of a lost message: all that is known of it are its first and last ${endBytes} bytes, and no id is there`;

/** What goes on in place of a message that found no room: of an answer, an error. Who asks with one gets the error, and it does not go on. */
export async function rejectOversized(
  message: LongMessage,
  { tellSender, onError, onAnswer }: Refusal,
): Promise<Change> {
  const waited = waitedFor(message);
  if (waited === undefined) onError(new Error(untold));
  const answers: object[] = [];
  for (const { id, isRequest } of waited ?? []) {
    const refusal = { jsonrpc: "2.0", id, error };
    if (isRequest) tellSender(refusal);
    else {
      onAnswer?.(id);
      answers.push(refusal);
    }
  }
  return answers.length === 0 ? "nothing" : writeAll(answers);
}

/** The messages that somebody waits for, or for whose answer; undefined where that cannot be told. */
function waitedFor(message: LongMessage): readonly PeekedEnds[] | undefined {
  const parsed = parseExactly(message);
  if (parsed === undefined) {
    const peeked = peekEnds(message.ends);
    return peeked && [peeked];
  }
  return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((one) => {
    const { id, method } = asFields(one) ?? {};
    return isNone(id) ? [] : [{ id, isRequest: method !== undefined }];
  });
}

async function* writeAll(messages: readonly object[]): AsyncGenerator<Buffer> {
  for (const message of messages) yield* writeMessage(message);
}
