import type { Change } from "./lane.ts";
import { asFields, isNone } from "./exchange.ts";
import { parseExactly, writeMessage, type LongMessage } from "./message.ts";

/** Who is told of a message that found no room. */
export interface Refusal {
  /** Gets an error in place of an answer. */
  readonly tellSender: (message: object) => void;
  /** Told which request has an error for its answer. */
  readonly onAnswer?: (id: unknown) => void;
}

const error = { code: -32_603, message: "the message is too long for the room that is left on the disk and in memory" };

/** What goes on in place of a message that found no room: of an answer, an error. Who asks with one gets the error, and it does not go on. */
export async function refuseLost(message: LongMessage, { tellSender, onAnswer }: Refusal): Promise<Change> {
  const parsed = parseExactly(message);
  const answers: object[] = [];
  for (const one of Array.isArray(parsed) ? parsed : [parsed]) {
    const { id, method } = asFields(one) ?? {};
    if (isNone(id)) continue;
    const refusal = { jsonrpc: "2.0", id, error };
    if (method !== undefined) tellSender(refusal);
    else {
      onAnswer?.(id);
      answers.push(refusal);
    }
  }
  return answers.length === 0 ? "nothing" : writeAll(answers);
}

async function* writeAll(messages: readonly object[]): AsyncGenerator<Buffer> {
  for (const message of messages) yield* writeMessage(message);
}
