import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Message } from "./message.ts";
import { MessageReader } from "./message-reader.ts";

/** What goes on in place of a message: nothing, or other bytes. */
export type Change = AsyncIterable<Uint8Array> | "nothing";

/**
 * Looks at a message. Undefined lets it go on as it came; a promise holds everything behind it back until it is decided. A promise that
 * rejects lets the message go on as well.
 */
export type MessageInterceptor = (message: Message) => Promise<Change | undefined> | undefined;

export interface MessagePipeOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly look: MessageInterceptor;
  /** For messages that are too long for memory. */
  readonly folder: () => string;
  /** Told of what went wrong on the way of one message. */
  readonly onError: (error: unknown) => void;
}

/** One direction: messages in the order in which they came, each on its way before the next one is looked at. */
export class MessagePipe {
  readonly #options: MessagePipeOptions;
  readonly #reader: MessageReader;
  readonly #held: AsyncIterable<Uint8Array>[] = [];
  readonly #closed = new AbortController();
  #isBusy = false;
  #work = Promise.resolve();
  #hasEnded = false;
  /** Settles when the input has ended and all of it is written. */
  readonly done: Promise<void>;
  #finish: () => void = () => {};

  constructor(options: MessagePipeOptions) {
    this.#options = options;
    this.#reader = new MessageReader(options);
    this.done = new Promise((resolve) => (this.#finish = resolve));
    const { input, output } = options;
    input.on("data", (piece: Buffer) => this.#take(piece, 0));
    input.once("end", () => this.#end());
    input.once("close", () => this.#end());
    input.on("error", options.onError);
    output.once("close", () => this.#closed.abort());
    output.on("error", () => this.#closed.abort());
  }

  /** Writes a message of our own between two that pass. */
  insert(message: AsyncIterable<Uint8Array>): void {
    this.#held.push(message);
    if (!this.#isBusy) this.#hold(Promise.resolve(), () => {});
  }

  /** How many inserted messages wait to be written. */
  get backlog(): number {
    return this.#held.length;
  }

  /** Settles when all that was inserted is written. */
  async idle(): Promise<void> {
    while (this.#isBusy) await this.#work;
  }

  #take(piece: Buffer, from: number): void {
    const { output } = this.#options;
    for (let at = from; at < piece.length;) {
      const taken = this.#reader.take(piece, at);
      at = taken.at;
      const { message } = taken;
      if (message === undefined) break;
      const looking = this.#look(message);
      if (looking === undefined && Buffer.isBuffer(message)) output.write(message);
      else return this.#hold(this.#change(message, looking), () => this.#take(piece, at));
    }
    if (output.writableNeedDrain) this.#hold(this.#drained(), () => {});
    else if (this.#hasEnded) this.#end();
  }

  /** An exception in the handler of the input would end the process: the message goes on as it came. */
  #look(message: Message): ReturnType<MessageInterceptor> {
    try {
      return this.#options.look(message);
    } catch (error) {
      this.#options.onError(error);
      return undefined;
    }
  }

  /** Reads on when the work is done, and what was to be inserted is written. */
  #hold(work: Promise<void>, next: () => void): void {
    const { input } = this.#options;
    this.#isBusy = true;
    input.pause();
    this.#work = this.#complete(work).then(() => {
      this.#isBusy = false;
      // Inserted after the last look at what is held: nobody else would write it.
      if (this.#held.length > 0) return this.#hold(Promise.resolve(), next);
      next();
      if (this.#isBusy) return;
      input.resume();
      if (this.#hasEnded) this.#end();
    });
  }

  async #complete(work: Promise<void>): Promise<void> {
    const onError = (error: unknown) => {
      if (!this.#closed.signal.aborted) this.#options.onError(error);
    };
    await work.catch(onError);
    for (let held = this.#held.shift(); held !== undefined; held = this.#held.shift()) {
      await this.#write(held).catch(onError);
    }
  }

  async #change(message: Message, looking: ReturnType<MessageInterceptor>): Promise<void> {
    try {
      const change = await looking?.catch((error: unknown) => {
        this.#options.onError(error);
        return undefined;
      });
      if (change === undefined) await this.#write(Buffer.isBuffer(message) ? [message] : message.read());
      else if (change !== "nothing") await this.#write(change);
    } finally {
      if (!Buffer.isBuffer(message)) message.close();
    }
  }

  async #write(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const { output } = this.#options;
    let isBegun = false;
    try {
      for await (const piece of pieces) {
        isBegun = true;
        if (!output.write(piece)) await this.#drained();
      }
    } catch (error) {
      // What comes next must not be taken for the rest of this.
      if (isBegun && output.writable) output.write("\n");
      throw error;
    }
  }

  async #drained(): Promise<void> {
    await once(this.#options.output, "drain", { signal: this.#closed.signal });
  }

  #end(): void {
    this.#hasEnded = true;
    if (this.#isBusy) return;
    const last = this.#reader.end();
    if (last !== undefined) this.#hold(this.#change(last, undefined), () => {});
    else this.#finish();
  }
}
