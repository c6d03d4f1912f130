import { setImmediate as nextTurn } from "node:timers/promises";
import { errorText, isObject, withTimeout, jsonValue } from "@toolpacks/core";
import { SdkError, SdkErrorCode, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import {
  createLineReader,
  createMessageReader,
  oversizedMessage,
  waitForDrain,
  type OversizedMessage,
} from "@toolpacks/bounded-io";
import { inheritedEnvironment } from "./child-environment.ts";
import { cleanText, singleLine } from "./clean-text.ts";
import type { LocalPlan } from "./options.ts";
import { RequestContexts } from "./request-contexts.ts";
import { ServerProcess, type ProcessEnd } from "./server-process.ts";

/** Maximum bytes that wait to be read by a server, before the last message. */
const maxUnreadBytes = 64 * 1024 * 1024;
const unread = `more than ${maxUnreadBytes.toLocaleString("en")} bytes wait`;
/** Maximum responses that wait to be read by the server. */
const maxUnreadResponses = 100;
const maxLineLength = 500;
const maxLines = 200;
/** Number of last lines that are kept: enough for a stack trace. */
const maxLastLines = 20;
/** Maximum messages that are read and not yet delivered. Above it, reading pauses. */
const maxWaiting = 1_000;
/** Maximum messages that are delivered in one turn of the event loop. */
const maxPerTurn = 32;
/** Maximum size of these messages as lines, in bytes. A parsed message can take twenty times as much. */
const maxWaitingBytes = 1024 * 1024;

/** Time allowed to read the remaining output of an ended process, in ms. */
const outputGraceMs = 100;

/** A transport to a server over stdio. Oversized messages are not kept; their calls fail with an error. */
export class ChildTransport implements Transport {
  // The SDK recognizes stdio by `stderr` and `pid`. A server over stdio may ignore a 2026 request.
  readonly stderr = null;
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #plan: LocalPlan;
  readonly #contexts = new RequestContexts();
  #child: ServerProcess | undefined;
  #isClosed = false;
  #lineCount = 0;
  #end: ProcessEnd | undefined;
  #hasSpoken = false;
  #stray: string | undefined;
  /** The last lines on stderr, and lines on stdout that are not messages. */
  readonly #lastLines: string[] = [];
  readonly #inbox: { readonly message: JSONRPCMessage; readonly bytes: number }[] = [];
  #inboxBytes = 0;
  #isDelivering = false;
  #isClientBusy = false;
  /** Whether the process has ended and all its output is in the inbox. */
  #hasEnded = false;
  /** Shared by all sends that wait for the server to read. */
  #draining: Promise<void> | undefined;
  #unreadResponses = 0;

  constructor(plan: LocalPlan) {
    this.#plan = plan;
  }

  /** How the process ended. Undefined while it runs, and when we ended it. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** The last output line that reads like an error, else the last line. Empty when there is no output. */
  get lastWords(): string {
    const line = this.#lastLines.findLast((one) => complaint.test(one)) ?? this.#lastLines.at(-1);
    return singleLine(line ?? "");
  }

  /** The first line on stdout, if the process never wrote a message there. */
  get strayOutput(): string | undefined {
    return this.#hasSpoken ? undefined : this.#stray;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#plan;
    const whole = { ...inheritedEnvironment(), ...env };
    const child = await ServerProcess.start({ command, args, env: whole, cwd, stderr: "pipe" });
    this.#child = child;
    if (this.#isClosed) await child.close();
    void child.ended.then((end) => this.#finish(child, end));
    child.stdin.on("error", (error) => this.onerror?.(error));
    this.#read(child);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#contexts.sent(message);
    if (this.#write(message)) return;
    // A server that sends requests and does not read the responses must not fill the memory.
    if (!("method" in message)) this.#unreadResponses += 1;
    if (this.#unreadResponses > maxUnreadResponses && !this.#isClosed) {
      this.#plan.log?.("error", `closed: it does not read the responses to its ${maxUnreadResponses} latest requests`);
      void this.close();
    }
    this.#draining ??= Promise.resolve(this.#child && waitForDrain(this.#child.stdin)).finally(() => {
      this.#draining = undefined;
      this.#unreadResponses = 0;
    });
    await this.#draining;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#child?.close();
  }

  /** Handles the end of the process. A process that it left behind may keep the pipes open, so their end has a timeout. */
  async #finish(child: ServerProcess, end: ProcessEnd): Promise<void> {
    if (!this.#isClosed) {
      this.#end = end;
      await this.#plan.ready?.();
    }
    await withTimeout(child.closed, { ms: outputGraceMs, onTimeout: () => {} });
    // Reads the pipes once more in case the event loop was blocked during the grace period.
    await nextTurn();
    child.stdout.destroy();
    child.stderr?.destroy();
    this.#child = undefined;
    this.#hasEnded = true;
    if (!this.#isDelivering) this.#guard(() => this.#deliverNext());
  }

  /** False when the caller should wait before it writes more. @throws SdkError when the server is not running */
  #write(message: JSONRPCMessage): boolean {
    const input = this.#child?.stdin;
    if (!input?.writable) throw new SdkError(SdkErrorCode.NotConnected, "the server is not running");
    // A server that does not read must not fill the memory. Its calls fail until it reads.
    if (input.writableLength > maxUnreadBytes) throw new Error(`the server does not read its input (${unread})`);
    return input.write(`${JSON.stringify(message)}\n`);
  }

  #read(child: ServerProcess): void {
    const { maxResultBytes } = this.#plan;
    const protocol = createMessageReader(
      {
        line: (line) => this.#guard(() => this.#receive(line.toString())),
        oversized: (message) => this.#guard(() => this.#refuse(message)),
      },
      maxResultBytes,
    );
    const words = createLineReader(maxLineLength * 4, {
      line: (line) => {
        if (line.length > 0) this.#logLine(line.toString());
      },
      tooLong: ({ head }) => this.#logLine(head),
    });
    child.stdout.on("data", (chunk: Buffer) => {
      protocol(chunk);
      this.#waitForClient(child);
    });
    child.stderr?.on("data", words);
  }

  #waitForClient({ stdout }: ServerProcess): void {
    const ready = this.#plan.ready?.();
    if (ready === undefined) return;
    this.#isClientBusy = true;
    stdout.pause();
    void ready.then(() => {
      this.#isClientBusy = false;
      stdout.resume();
    });
  }

  /** Runs a handler. An exception closes this connection; uncaught it would end the process. */
  #guard(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#inbox.length = 0;
      this.#inboxBytes = 0;
      this.#plan.log?.("error", `a message of the server cannot be handled: ${cleanText(errorText(error))}`);
      void this.close();
    }
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    const message = jsonValue(text);
    if (message === undefined) {
      this.#stray ??= cleanText(text.slice(0, maxLineLength));
      this.#logLine(text);
      return;
    }
    const oversized = oversizedMessage(message);
    if (oversized !== undefined) return this.#refuse(oversized);
    const isMessage = isObject(message) && "jsonrpc" in message;
    this.#hasSpoken ||= isMessage;
    if (isMessage) this.#deliver(message as JSONRPCMessage, text.length);
    else this.#logLine(text);
  }

  /** Queues a message for the next turn of the event loop, so that a flood of messages leaves turns to other servers. */
  #deliver(message: JSONRPCMessage, bytes = 0): void {
    this.#inbox.push({ message, bytes });
    this.#inboxBytes += bytes;
    if (this.#inbox.length > maxWaiting || this.#inboxBytes > maxWaitingBytes) this.#child?.stdout.pause();
    if (!this.#isDelivering) this.#deliverInNextTurn();
  }

  #deliverInNextTurn(): void {
    this.#isDelivering = true;
    setImmediate(() => this.#guard(() => this.#deliverNext()));
  }

  /**
   * Delivers the messages of one turn, up to a notification. The SDK handles a notification asynchronously and a response at once, so a progress
   * notification right before a response would be lost.
   */
  #deliverNext(): void {
    this.#isDelivering = false;
    for (let count = 0; count < maxPerTurn; count += 1) {
      const next = this.#inbox.shift();
      if (next === undefined) break;
      this.#inboxBytes -= next.bytes;
      this.#contexts.handle(next.message, () => this.onmessage?.(next.message));
      if (!("id" in next.message)) break;
    }
    if (this.#inbox.length > 0) return this.#deliverInNextTurn();
    if (!this.#isClientBusy) this.#child?.stdout.resume();
    if (!this.#hasEnded) return;
    if (!this.#isClosed) this.#logLastLines();
    this.onclose?.();
  }

  /**
   * Rejects an oversized message with an error to its call, or to the server for its request. Without an id the connection is
   * closed, and every pending call fails.
   */
  #refuse({ id, isNotification, isRequest, reason }: OversizedMessage): void {
    const message = `the answer is ${reason}`;
    this.#plan.log?.("warn", message);
    if (isNotification) return;
    if (isRequest && id !== undefined) {
      this.#write({ jsonrpc: "2.0", id, error: { code: invalidRequest, message } });
    } else if (typeof id === "number") this.#deliver({ jsonrpc: "2.0", id, error: { code: tooLong, message } });
    else {
      this.onerror?.(new Error(message));
      void this.close();
    }
  }

  #logLine(text: string): void {
    const line = text.slice(0, maxLineLength);
    this.#lastLines.push(line);
    if (this.#lastLines.length > maxLastLines) this.#lastLines.shift();
    this.#lineCount += 1;
    if (this.#lineCount < maxLines) this.#plan.log?.("debug", line);
    else if (this.#lineCount === maxLines) this.#plan.log?.("debug", "…; no more of what it says is shown");
  }

  /** Logs the last lines of a server that ended unexpectedly. They were not logged at a visible level before. */
  #logLastLines(): void {
    if (this.#lastLines.length > 0)
      this.#plan.log?.("warn", ["last lines of stderr:", ...this.#lastLines.map(cleanText)].join("\n  "));
  }
}

/** A line that is neither indented, as stack frames are, nor npm's about its log. */
const complaint = /^(?!\s|npm error A complete log).*(?:error|fatal|failed|cannot|not found|missing)/i;

const invalidRequest = -32_600;

/** JSON-RPC error code of a response that was too large. */
export const tooLong = -32_099;
