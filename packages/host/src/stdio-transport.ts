import type { Readable, Writable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import { isObject } from "@toolpacks/core";
import {
  createMessageReader,
  messageBounds,
  oversizedMessage,
  waitForDrain,
  type OversizedMessage,
} from "@toolpacks/bounded-io";
import { forbiddenArgument } from "./forbidden-argument.ts";

const parseError = -32_700;
const invalidRequest = -32_600;
const invalidParams = -32_602;
const internalError = -32_603;

/** Both SDKs copy a message several times. The arguments of a call may hold far fewer values. */
const clientBounds = { ...messageBounds, maxValues: 100_000 };

/** Maximum number of requests in progress. Beyond it, the next message waits until one of them finishes. */
const maxPending = 128;
/** Maximum time that a message waits, in ms. It may be a cancellation or response that the requests wait for. */
const maxPendingWaitMs = 10;
const pendingPollMs = 5;
/** Maximum size of one message to the client in bytes. Official clients close the connection at 10 MiB. */
const maxSentBytes = 8 * 1024 * 1024;
/** Maximum bytes of a character in UTF-8, per UTF-16 unit. */
const maxBytesPerCharacter = 3;

/** Name and version of a server. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** What a server needs to serve a surface over stdio. */
export interface StdioServerOptions {
  /** Stream of incoming messages. */
  readonly input: Readable;
  /** Stream for outgoing messages. */
  readonly output: Writable;
  /** Name and version of the server, for clients. */
  readonly info: ServerInfo;
  /** Gets errors that are not sent to the client. */
  readonly onError: (error: Error) => void;
}

interface StdioTransportOptions extends Pick<StdioServerOptions, "input" | "output"> {
  /** Number of requests in progress. */
  readonly pending: () => number;
}

/**
 * A stdio transport. A message that exceeds the limits, or that the SDK would drop, is answered with an error. A response that is too
 * large for the client is replaced by an error. While the client does not read its responses, no further messages are read.
 *
 * @typeParam Message the SDK's type of a JSON-RPC message
 */
export class StdioTransport<Message extends object> {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  readonly #options: StdioTransportOptions;
  #isClosed = false;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { output } = this.#options;
    // Responses that wait for the output to drain add a listener each.
    output.setMaxListeners(0);
    output.on("error", (error) => {
      if (!this.#isClosed) this.onerror?.(error);
      void this.close();
    });
    void this.#read()
      .catch((error: Error) => this.onerror?.(error))
      .then(() => this.close());
  }

  async send(message: Message): Promise<void> {
    if (this.#isClosed) throw new Error("the connection to the client is closed");
    this.#send(message);
    await waitForDrain(this.#options.output);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  async #read(): Promise<void> {
    let messages: (Buffer | OversizedMessage)[] = [];
    const listener = {
      line: (line: Buffer) => void messages.push(line),
      oversized: (message: OversizedMessage) => void messages.push(message),
    };
    const read = createMessageReader(listener);
    for await (const chunk of this.#options.input) {
      read(chunk as Buffer);
      const complete = messages;
      messages = [];
      for (const message of complete) {
        await this.#ready();
        if (this.#isClosed) return;
        if (Buffer.isBuffer(message)) this.#receive(message.toString());
        else this.#refuse(message);
      }
    }
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (error) {
      this.#respond({ id: null, code: parseError, message: `the line is not JSON: ${(error as Error).message}` });
      return;
    }
    const oversized = oversizedMessage(message, clientBounds);
    if (oversized !== undefined) return this.#refuse(oversized);
    const problem = messageProblem(message);
    if (problem === undefined) this.#deliver(message as Message);
    else this.#respond(problem);
  }

  /** Passes a message to the SDK. An exception affects this message only. */
  #deliver(message: Message): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #refuse({ id, isResponse, isNotification, reason }: OversizedMessage): void {
    const message = `the message is ${reason}: split the call into smaller ones`;
    // The id of a response belongs to a request of ours, so an error with this id would confuse the client.
    if (isResponse || isNotification) this.onerror?.(new Error(message));
    else this.#respond({ id: id ?? null, code: invalidRequest, message });
  }

  #respond({ id, code, message }: MessageProblem): void {
    this.onerror?.(new Error(message));
    this.#write({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** @throws Error for a request or notification that is too large */
  #send(message: Message): void {
    const line = JSON.stringify(message);
    if (!isTooLarge(line)) {
      this.#options.output.write(`${line}\n`);
      return;
    }
    const reason = `larger than ${maxSentBytes.toLocaleString("en")} bytes`;
    if ("method" in message || !("id" in message)) throw new Error(`the message to the client is ${reason}`);
    const text = `too_large: the response is ${reason}: ask for less, or for a part of it`;
    this.#respond({ id: message.id as string | number, code: internalError, message: text });
  }

  #write(message: object): void {
    this.#options.output.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the output has drained and few requests are in progress. */
  async #ready(): Promise<void> {
    const { output, pending } = this.#options;
    // Handlers that finish at once write their responses first.
    if (pending() > 0) await setImmediate();
    for (let waitedMs = 0; ; waitedMs += pendingPollMs) {
      await waitForDrain(output);
      if (pending() < maxPending || waitedMs >= maxPendingWaitMs) return;
      await setTimeout(pendingPollMs);
    }
  }
}

function isTooLarge(line: string): boolean {
  if (line.length * maxBytesPerCharacter <= maxSentBytes) return false;
  return line.length > maxSentBytes || Buffer.byteLength(line) > maxSentBytes;
}

/** The error response to an invalid message. The SDKs would drop the message, and the client would wait forever. */
interface MessageProblem {
  readonly code: number;
  readonly message: string;
  /** Null when the message has no valid id. */
  readonly id: string | number | null;
}

const requestFields = ["jsonrpc", "id", "method", "params"];

/** Finds a problem in the structure of a message. Undefined for a valid request, a notification or a response. */
function messageProblem(message: unknown): MessageProblem | undefined {
  const invalid = (problem: string): MessageProblem => ({ code: invalidRequest, message: problem, id: null });
  if (Array.isArray(message)) return invalid("batches are not supported: send each message on a line of its own");
  if (!isObject(message)) return invalid("the message is not an object");
  if (!("id" in message)) return undefined;
  if (!("method" in message) && ("result" in message || "error" in message)) return undefined;
  const { id } = message;
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  const problem = requestProblem(message);
  if (problem !== undefined) return { ...invalid(problem), id: known };
  const wrongParams = cursorProblem(message) ?? forbiddenArgument(message);
  return wrongParams === undefined ? undefined : { code: invalidParams, message: wrongParams, id: known };
}

type Fields = Readonly<Record<string, unknown>>;

function requestProblem(message: Fields): string | undefined {
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0") return 'jsonrpc: must be "2.0"';
  if (!isId(id)) return "id: must be a string or an integer";
  if (typeof method !== "string") return "method: must be a string";
  const unknown = Object.keys(message).find((field) => !requestFields.includes(field));
  if (unknown !== undefined)
    return `unknown field ${JSON.stringify(unknown.slice(0, 100))}: a request has ${requestFields.join(", ")}`;
  if (params === undefined) return undefined;
  if (!isObject(params)) return "params: must be an object";
  return metaProblem(params["_meta"]);
}

function metaProblem(meta: unknown): string | undefined {
  if (meta === undefined) return undefined;
  if (!isObject(meta)) return "params._meta: must be an object";
  const { progressToken, "io.modelcontextprotocol/related-task": task } = meta;
  if (progressToken !== undefined && !isId(progressToken)) {
    return "params._meta.progressToken: must be a string or an integer";
  }
  const isTask = task === undefined || (isObject(task) && typeof task["taskId"] === "string");
  return isTask ? undefined : "params._meta.io.modelcontextprotocol/related-task: must be an object with a taskId";
}

/** Checks the cursor of a list request. The 2.x SDK answers an invalid cursor as a server error. */
function cursorProblem({ method, params }: Fields): string | undefined {
  if (!String(method).endsWith("/list") || !isObject(params)) return undefined;
  const { cursor } = params;
  return cursor === undefined || typeof cursor === "string" ? undefined : "params.cursor: must be a string";
}

/** Whether the SDKs accept a value as an id or token: a string or a safe integer. */
function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}
