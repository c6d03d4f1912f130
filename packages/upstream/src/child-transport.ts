import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { SdkError, SdkErrorCode, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import {
  createLineReader,
  endsOf,
  exceededBound,
  exceededMessage,
  messageBounds,
  messageInfo,
  type LongLine,
} from "@toolpacks/core/bounded-io";
import { inheritedEnvironment } from "./child-environment.ts";
import { cleanText } from "./clean-text.ts";
import { tellingLine } from "./telling-line.ts";
import type { LocalPlan } from "./options.ts";
import { ServerProcess, type ProcessEnd } from "./server-process.ts";

/** Maximum size of what is written to a server and not read by it, in bytes, before the last message. */
const maxUnreadBytes = 64 * 1024 * 1024;
const unread = `more than ${maxUnreadBytes.toLocaleString("en")} bytes wait`;
/** Responses to requests of the server that wait to be read by it. */
const maxUnreadResponses = 100;
const maxLineLength = 500;
const maxLines = 200;
/** As many lines as a stack trace takes. */
const maxLastLines = 20;
/** Messages that are read and not yet delivered; a server that sends more faster than they are handled is made to wait. */
const maxWaiting = 1_000;

/** Time in ms for the output that is left when the process has ended. */
const outputGraceMs = 100;

/** A server over stdio. Messages beyond a size are not kept in memory; whoever waits for one is answered with an error. */
export class ChildTransport implements Transport {
  // The SDK tells by these two that it is on stdio, where a server that knows no 2026 protocol may stay silent.
  readonly stderr = null;
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #plan: LocalPlan;
  #child: ServerProcess | undefined;
  #isClosed = false;
  #said = 0;
  #end: ProcessEnd | undefined;
  #hasSpoken = false;
  #stray: string | undefined;
  /** The last lines that the server wrote where no protocol belongs. */
  readonly #words: string[] = [];
  readonly #inbox: JSONRPCMessage[] = [];
  #isDelivering = false;
  #isClientBusy = false;
  /** The process has ended, and its output is in the inbox. */
  #hasEnded = false;
  /** Shared by all who wait for the server to read. */
  #draining: Promise<void> | undefined;
  #unreadResponses = 0;

  constructor(plan: LocalPlan) {
    this.#plan = plan;
  }

  /** How the process ended by itself; undefined while it runs, and where we ended it. */
  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** The line of what the process wrote that says most of its end; empty where it wrote nothing. */
  get lastWords(): string {
    return tellingLine(this.#words);
  }

  /** The first line on stdout of a process that never wrote a message there. */
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
    if (this.#write(message)) return;
    // A server that asks and does not read the responses must not fill the memory.
    if (!("method" in message)) this.#unreadResponses += 1;
    if (this.#unreadResponses > maxUnreadResponses && !this.#isClosed) {
      this.#plan.log?.("error", `closed: it does not read the responses to its ${maxUnreadResponses} latest requests`);
      void this.close();
    }
    this.#draining ??= this.#drained().finally(() => {
      this.#draining = undefined;
      this.#unreadResponses = 0;
    });
    await this.#draining;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#child?.close();
  }

  /** A process that the server leaves behind may keep the pipes open, so their end is not waited for. */
  async #finish(child: ServerProcess, end: ProcessEnd): Promise<void> {
    if (!this.#isClosed) {
      this.#end = end;
      await this.#plan.ready?.();
    }
    await Promise.race([child.closed, wait(outputGraceMs, undefined, { ref: false })]);
    // The pipes are read once more where the event loop was blocked during the grace period.
    await nextTurn();
    child.stdout.destroy();
    child.stderr?.destroy();
    this.#child = undefined;
    this.#hasEnded = true;
    if (!this.#isDelivering) this.#guard(() => this.#deliverNext());
  }

  /** False where whoever writes more should wait. @throws SdkError when the server is not running */
  #write(message: JSONRPCMessage): boolean {
    const input = this.#child?.stdin;
    if (!input?.writable) throw new SdkError(SdkErrorCode.NotConnected, "the server is not running");
    // A server that does not read must not fill the memory: its calls fail until it does.
    if (input.writableLength > maxUnreadBytes) throw new Error(`the server does not read its input (${unread})`);
    return input.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves, too, when there is nothing more to wait for. */
  #drained(): Promise<void> {
    const input = this.#child?.stdin;
    return new Promise((resolve) => {
      if (!input?.writable) return resolve();
      const settle = () => {
        input.off("drain", settle);
        input.off("close", settle);
        resolve();
      };
      input.on("drain", settle);
      input.on("close", settle);
    });
  }

  #read(child: ServerProcess): void {
    const { maxResultBytes } = this.#plan;
    const protocol = createLineReader(maxResultBytes, {
      line: (line) => this.#guard(() => this.#receiveBounded(line)),
      tooLong: (line) => this.#guard(() => this.#refuse(line, tooLongMessage(maxResultBytes))),
    });
    const words = createLineReader(maxLineLength * 4, {
      line: (line) => this.#hear(line.toString()),
      tooLong: ({ head }) => this.#hear(head),
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

  /** An exception here would end the whole process: it closes this connection. */
  #guard(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#inbox.length = 0;
      this.#plan.log?.(
        "error",
        `a message of the server cannot be handled: ${cleanText(error instanceof Error ? error.message : String(error))}`,
      );
      void this.close();
    }
  }

  #receiveBounded(line: Buffer): void {
    const bound = exceededBound(line, messageBounds);
    if (bound === undefined) this.#receive(line.toString());
    else this.#refuse(endsOf(line), `the answer is ${exceededMessage(bound)}`);
  }

  #receive(text: string): void {
    if (text.trim() === "") return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#stray ??= cleanText(text.slice(0, maxLineLength));
      this.#hear(text);
      return;
    }
    const isMessage = message !== null && typeof message === "object" && "jsonrpc" in message;
    this.#hasSpoken ||= isMessage;
    if (isMessage) this.#deliver(message as JSONRPCMessage);
    else this.#hear(text);
  }

  /**
   * The SDK handles a notification a moment after it got it, and an answer at once: of a progress and the answer right behind it, the
   * progress would be lost.
   */
  #deliver(message: JSONRPCMessage): void {
    this.#inbox.push(message);
    if (this.#inbox.length > maxWaiting) this.#child?.stdout.pause();
    if (!this.#isDelivering) this.#deliverNext();
  }

  #deliverNext(): void {
    this.#isDelivering = false;
    for (let next = this.#inbox.shift(); next !== undefined; next = this.#inbox.shift()) {
      this.onmessage?.(next);
      if ("id" in next) continue;
      this.#isDelivering = true;
      setImmediate(() => this.#guard(() => this.#deliverNext()));
      return;
    }
    if (!this.#isClientBusy) this.#child?.stdout.resume();
    if (!this.#hasEnded) return;
    if (!this.#isClosed) this.#tellWhy();
    this.onclose?.();
  }

  /**
   * The call gets an error, a request of the server likewise. Without a request id the error cannot be assigned to a call, so the connection is closed
   * and every pending call fails.
   */
  #refuse(line: LongLine, message: string): void {
    const { id, isNotification, isRequest } = messageInfo(line);
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

  #hear(text: string): void {
    const line = text.slice(0, maxLineLength);
    this.#words.push(line);
    if (this.#words.length > maxLastLines) this.#words.shift();
    this.#said += 1;
    if (this.#said < maxLines) this.#plan.log?.("debug", line);
    else if (this.#said === maxLines) this.#plan.log?.("debug", "…; no more of what it says is shown");
  }

  /** Whoever runs us has seen none of it, and needs it when the server ends unasked. */
  #tellWhy(): void {
    if (this.#words.length > 0)
      this.#plan.log?.("warn", ["its last words:", ...this.#words.map(cleanText)].join("\n  "));
  }
}

const invalidRequest = -32_600;

/** The JSON-RPC error that stands for a message which was not kept. */
export const tooLong = -32_099;

export function tooLongMessage(bytes: number): string {
  return `the answer is larger than ${bytes.toLocaleString("en")} bytes`;
}
