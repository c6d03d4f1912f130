import { randomUUID } from "node:crypto";
import { closeSync, openSync, read, unlinkSync, writeSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const pieceBytes = 256 * 1024;
const readAt = promisify(read);

/** A file that nothing but this object can reach, for bytes that are too many for memory. */
export class Spool {
  readonly #file: string;
  readonly #descriptor: number;
  #isUnlinked = false;
  size = 0;

  constructor(folder: string) {
    this.#file = path.join(folder, `${randomUUID()}.message`);
    this.#descriptor = openSync(this.#file, "wx+", 0o600);
    this.#unlink();
  }

  append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at);
    this.size += bytes.length;
  }

  /** From `start` up to, not including, `end`. */
  async *read(start = 0, end = this.size): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at));
      const { bytesRead } = await readAt(this.#descriptor, piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error("a message's file is shorter than the message");
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#unlink();
  }

  /** An open file goes on without a name, so that none is left however this process ends. Windows wants it closed first. */
  #unlink(): void {
    if (this.#isUnlinked) return;
    try {
      unlinkSync(this.#file);
      this.#isUnlinked = true;
    } catch {
      // Tried again when it is closed; the folder goes in the end.
    }
  }
}
