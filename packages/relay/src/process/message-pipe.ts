import type { Readable, Writable } from "node:stream";
import { createMessageReader, oversizedMessage, waitForDrain, type OversizedMessage } from "@toolpacks/bounded-io";
import { parseExactly, serialize } from "./exact-json.ts";
import { asFields, type Fields } from "./exchange.ts";

/** Replaces a message. Undefined: the message passes byte for byte. `nothing`: it is dropped. */
export type Replacement = object | "nothing" | undefined;

/** Decides about a message. While its promise is pending, the messages behind it wait. */
export type MessageInterceptor = (message: Fields) => Promise<Replacement> | undefined;

export interface MessagePipeOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly intercept: MessageInterceptor;
  /** Handles each message beyond a limit, in order. While its promise is pending, the messages behind it wait. */
  readonly reject: (message: OversizedMessage) => Promise<void> | undefined;
  readonly maxMessageBytes: number;
  /** Gets errors that concern one message. The other messages are unaffected. */
  readonly onError: (error: unknown) => void;
}

const lineFeed = Buffer.from("\n");

/** Writes a message as a line. */
export function writeMessage(output: Writable, message: object): void {
  writeLine(output, serialize(message));
}

function writeLine(output: Writable, parts: Iterable<Buffer>): void {
  if (!output.writable) return;
  output.cork();
  for (const part of parts) output.write(part);
  output.write(lineFeed);
  output.uncork();
}

/** Passes the messages of one direction in order. Stops reading while the output does not drain. Resolves when the input has ended. */
export async function pipeMessages(options: MessagePipeOptions): Promise<void> {
  const { input, output, reject, maxMessageBytes, onError } = options;
  let messages: (Buffer | OversizedMessage)[] = [];
  const read = createMessageReader(
    { line: (line) => messages.push(line), oversized: (message) => messages.push(message) },
    maxMessageBytes,
  );
  try {
    for await (const chunk of input) {
      read(chunk as Buffer);
      const complete = messages.reverse();
      messages = [];
      for (let message = complete.pop(); message !== undefined; message = complete.pop()) {
        if (Buffer.isBuffer(message)) await passLine(message, options);
        else await reject(message);
        await waitForDrain(output);
      }
    }
  } catch (error) {
    // A killed process closes its output without an end.
    if (!isPrematureClose(error)) onError(error);
  }
}

async function passLine(line: Buffer, { output, intercept, reject, onError }: MessagePipeOptions): Promise<void> {
  let replacement: Replacement;
  try {
    const message = parseExactly(line);
    const oversized = oversizedMessage(message);
    if (oversized !== undefined) return await reject(oversized);
    replacement = Array.isArray(message)
      ? await interceptBatch(message, intercept)
      : await interceptOne(message, intercept);
  } catch (error) {
    onError(error);
  }
  if (replacement === undefined) writeLine(output, [line]);
  else if (typeof replacement === "object") writeMessage(output, replacement);
}

function interceptOne(message: unknown, intercept: MessageInterceptor): ReturnType<MessageInterceptor> {
  const fields = asFields(message);
  return fields && intercept(fields);
}

async function interceptBatch(batch: readonly unknown[], intercept: MessageInterceptor): Promise<Replacement> {
  const replacements = await Promise.all(batch.map(async (message) => interceptOne(message, intercept)));
  if (replacements.every((one) => one === undefined)) return undefined;
  const left = replacements.map((one, at) => one ?? batch[at]).filter((one) => one !== "nothing");
  return left.length === 0 ? "nothing" : left;
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STREAM_PREMATURE_CLOSE";
}
