import { randomUUID } from "node:crypto";
import { closeSync, openSync, read, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const pieceBytes = 256 * 1024;
const readAt = promisify(read);
/** What a file does not take, because the disk is full, may be in memory up to this size. */
const mostHeld = 64 * 1024 * 1024;

export interface SpoolOptions {
  /** Where the file goes. */
  readonly folder: () => string;
  /** Told why a file did not take all of it, and what became of the rest. */
  readonly onError: (error: unknown) => void;
}

/** Bytes that are too many for memory, in a file that nothing but this object can reach. What the file does not take is in memory all the same. */
export class Spool {
  readonly #onError: SpoolOptions["onError"];
  /** Undefined when there is no file to write to. */
  #file: { readonly name: string; readonly descriptor: number } | undefined;
  #isUnlinked = false;
  /** Bytes in the file. Those behind them are held. */
  #written = 0;
  /** Why the file takes no more. */
  #refusal: { readonly cause: unknown } | undefined;
  #held: Buffer[] = [];
  #heldBytes = 0;
  size = 0;

  constructor({ folder, onError }: SpoolOptions) {
    this.#onError = onError;
    try {
      const name = path.join(folder(), `${randomUUID()}.message`);
      this.#file = { name, descriptor: openSync(name, "wx+", 0o600) };
      this.#unlink();
    } catch (error) {
      this.#refusal = { cause: error };
    }
  }

  /** Whether there was no room for all of it: then none of it can be read. */
  get isLost(): boolean {
    return this.#heldBytes > mostHeld;
  }

  append(bytes: Buffer): void {
    this.size += bytes.length;
    const rest = this.#write(bytes);
    if (rest.length === 0) return;
    this.#heldBytes += rest.length;
    if (this.isLost) this.#held = [];
    else this.#held.push(rest);
  }

  /** Says what became of it, once all of it has come. */
  end(): void {
    if (this.#refusal === undefined) return;
    const { cause } = this.#refusal;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fate = this.isLost ? `of ${this.size} bytes is lost, memory has no room for it either` : "stays in memory";
    this.#onError(new Error(`a long message ${fate}: ${reason}`, { cause }));
  }

  /** From `start` up to, not including, `end`. */
  async *read(start = 0, end = this.size): AsyncGenerator<Buffer> {
    if (this.isLost) throw new Error("a long message found no room");
    yield* this.#readFile(start, Math.min(end, this.#written));
    let at = this.#written;
    for (const held of this.#held) {
      const piece = held.subarray(Math.max(0, start - at), Math.max(0, end - at));
      if (piece.length > 0) yield piece;
      at += held.length;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file.descriptor);
    this.#unlink();
  }

  async *#readFile(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end && this.#file !== undefined;) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at));
      const { bytesRead } = await readAt(this.#file.descriptor, piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error("a message's file is shorter than the message");
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** What the file did not take. */
  #write(bytes: Buffer): Buffer {
    let at = 0;
    try {
      while (this.#file !== undefined && this.#refusal === undefined && at < bytes.length) {
        at += writeSync(this.#file.descriptor, bytes, at);
      }
    } catch (error) {
      this.#refusal = { cause: error };
    }
    this.#written += at;
    return bytes.subarray(at);
  }

  /** An open file goes on without a name, so that none is left however this process ends. Windows wants it closed first. */
  #unlink(): void {
    if (this.#file === undefined || this.#isUnlinked) return;
    try {
      unlinkSync(this.#file.name);
      this.#isUnlinked = true;
    } catch {
      // Tried again when it is closed; the folder goes in the end.
    }
  }
}
