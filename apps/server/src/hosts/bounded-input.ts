import { once } from "node:events";
import { Readable, type Writable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import {
  createLineReader,
  endsOf,
  exceededBound,
  exceededMessage,
  messageBounds,
  messageInfo,
  type LongLine,
} from "@toolpacks/core/bounded-io";
import { messageProblem, type MessageProblem } from "./message-problem.ts";

/** Maximum size of one message in bytes. The SDKs' own limit, 10 MiB, would close the connection. */
const maxMessageBytes = 64 * 1024 * 1024;

/** Lets the SDK's transport take every message that passes, with its line break. */
export const transportOptions = { maxBufferSize: maxMessageBytes + 1 };

const refusals = {
  size: `the message is larger than ${maxMessageBytes.toLocaleString("en")} bytes: split the call into smaller ones`,
  maxDepth: `the message is ${exceededMessage("maxDepth")}`,
  maxValues: `the message is ${exceededMessage("maxValues")}: split the call into smaller ones`,
};
const invalidRequest = -32_600;

/** With this many requests in progress, the next message waits for one of them to finish, */
const maxPending = 128;
/** but no longer than this: it may be the cancellation or the answer that they wait for. */
const maxPendingWaitMs = 10;
const pendingPollMs = 5;

export interface BoundedInputOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** How many requests are being handled. */
  readonly pending: () => number;
  readonly onError: (error: Error) => void;
}

/**
 * The messages of a client, one chunk each, for the transport of an SDK. A message beyond the bounds, and one that the SDK would drop without a
 * response, is answered with an error and skipped. While
 * the client does not read its responses, no further messages are read.
 */
export function boundedInput(options: BoundedInputOptions): Readable {
  // The SDKs add listeners for each response that waits for the output to drain.
  options.output.setMaxListeners(0);
  return Readable.from(messages(options), { highWaterMark: 1 });
}

async function* messages(options: BoundedInputOptions): AsyncGenerator<Buffer> {
  const { input } = options;
  let lines: Checked[] = [];
  const read = createLineReader(maxMessageBytes, {
    line: (line) => lines.push(checked(line)),
    tooLong: (line) => lines.push({ ends: line, reason: refusals.size }),
  });
  for await (const chunk of input) {
    read(chunk as Buffer);
    const complete = lines;
    lines = [];
    for (const line of complete) {
      await ready(options);
      if (Buffer.isBuffer(line)) yield line;
      else if ("ends" in line) refuse(line, options);
      else respond(line, options);
    }
  }
}

const lineBreak = Buffer.from("\n");

interface Refused {
  readonly ends: LongLine;
  readonly reason: string;
}

type Checked = Buffer | Refused | MessageProblem;

/** The message, or what is wrong with it. */
function checked(line: Buffer): Checked {
  const bound = exceededBound(line, messageBounds);
  if (bound !== undefined) return { ends: endsOf(line), reason: refusals[bound] };
  return messageProblem(line) ?? Buffer.concat([line, lineBreak]);
}

function refuse({ ends, reason }: Refused, options: BoundedInputOptions): void {
  const { id = null, isResponse, isNotification } = messageInfo(ends);
  // A response has the id of our request, which would be taken for one of the client's.
  if (isResponse || isNotification) options.onError(new Error(reason));
  else respond({ id, code: invalidRequest, message: reason }, options);
}

function respond({ id, code, message }: MessageProblem, { output, onError }: BoundedInputOptions): void {
  onError(new Error(message));
  output.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
}

/** Resolves when the output has drained and few requests are in progress. */
async function ready({ output, pending }: BoundedInputOptions): Promise<void> {
  // Handlers that finish at once write their responses first.
  if (pending() > 0) await setImmediate();
  let waitedMs = 0;
  for (;;) {
    if (output.writableNeedDrain) await drained(output);
    else if (pending() >= maxPending && waitedMs < maxPendingWaitMs) {
      await setTimeout(pendingPollMs);
      waitedMs += pendingPollMs;
    } else return;
  }
}

/** Resolves also when the output is closed. */
async function drained(output: Writable): Promise<void> {
  const settled = new AbortController();
  const events = ["drain", "close", "error"].map((event) => once(output, event, { signal: settled.signal }));
  await Promise.race(events).catch(() => {});
  settled.abort();
  await Promise.allSettled(events);
}
