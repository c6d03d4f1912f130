import { asFields, isNone, type Fields } from "./exchange.ts";
import { parseExactly } from "./message.ts";
import type { MessageEnds } from "./message-ends.ts";

/** What is known of a message by its ends. */
export interface PeekedEnds {
  readonly id: unknown;
  /** Whether it asks for something, and is no answer. */
  readonly isRequest: boolean;
}

/**
 * What the ends of a message in JSON say of it: most write the id first or last. Undefined where they do not have it, or not whether it is a
 * request or an answer.
 */
export function peekEnds({ first, last }: Pick<MessageEnds, "first" | "last">): PeekedEnds | undefined {
  if (!first.trimStart().startsWith("{")) return undefined;
  const fields = { ...firstFields(first), ...lastFields(last) };
  const { id } = fields;
  const isRequest = "method" in fields || "params" in fields;
  if (isNone(id) || isRequest === ("result" in fields || "error" in fields)) return undefined;
  return { id, isRequest };
}

const nameFirst = /^\s*("(?:[^"\\]|\\.)*")\s*:/;

/** The message's own fields that end in its beginning, and the name of the one behind them. */
function firstFields(text: string): Fields {
  let comma = text.length;
  let whole: Fields | undefined;
  // With a bracket in a comma's place, only what comes before one of the message's own commas is JSON.
  while (whole === undefined && comma > 0) {
    comma = text.lastIndexOf(",", comma - 1);
    whole = comma === -1 ? {} : fieldsOf(`${text.slice(0, comma)}}`);
  }
  const [, name] = nameFirst.exec(comma > 0 ? text.slice(comma + 1) : text.trimStart().slice(1)) ?? [];
  return { ...whole, ...(name !== undefined && fieldsOf(`{${name}:true}`)) };
}

/** The message's own fields that begin in its end, behind a comma. */
function lastFields(text: string): Fields {
  // Likewise: behind the comma of something inside, too many brackets are closed.
  for (let comma = text.indexOf(","); comma !== -1; comma = text.indexOf(",", comma + 1)) {
    const fields = fieldsOf(`{${text.slice(comma + 1)}`);
    if (fields !== undefined) return fields;
  }
  return {};
}

function fieldsOf(json: string): Fields | undefined {
  return asFields(parseExactly(Buffer.from(json)));
}
