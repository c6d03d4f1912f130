import { mark, type Message } from "./message.ts";
import { MessageEnds } from "./message-ends.ts";
import { Spool, type SpoolOptions } from "./spool.ts";
import { StringCutter } from "./string-cutter.ts";

const lineFeed = 0x0a;
/** A message up to this size is in memory. */
const mostInMemory = 1024 * 1024;
/** Of a longer one, what its strings of more than `longest` bytes leave over. */
const mostLeft = 16 * 1024 * 1024;
const longest = 64 * 1024;

interface Taken {
  /** A line that ended. */
  readonly message: Message | undefined;
  /** Where the next line begins. */
  readonly at: number;
}

/** Cuts a stream into lines. One that is too long for memory goes to a file while it comes in. */
export class MessageReader {
  readonly #options: SpoolOptions;
  #parts: Buffer[] = [];
  #size = 0;
  #long: { readonly spool: Spool; readonly cutter: StringCutter; readonly ends: MessageEnds } | undefined;

  /** @param options for messages that are too long for memory; the folder is asked for when there is one */
  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** Reads a piece from `from` to the end of the first line. */
  take(piece: Buffer, from: number): Taken {
    const end = piece.indexOf(lineFeed, from);
    const at = end === -1 ? piece.length : end + 1;
    const part = from === 0 && at === piece.length ? piece : piece.subarray(from, at);
    if (end !== -1 && this.#size === 0) return { message: part, at };
    this.#add(part);
    return { message: end === -1 ? undefined : this.end(), at };
  }

  /** What came since the last line's end. */
  end(): Message | undefined {
    const long = this.#long;
    const parts = this.#parts;
    if (this.#size === 0) return undefined;
    this.#parts = [];
    this.#size = 0;
    this.#long = undefined;
    if (long === undefined) return Buffer.concat(parts);
    const { spool, cutter, ends } = long;
    spool.end();
    return {
      ends,
      cut: cutter.end(),
      read: (start, end) => spool.read(start, end),
      close: () => spool.close(),
      isLost: spool.isLost,
    };
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#long !== undefined) return this.#spool(part);
    this.#parts.push(part);
    if (this.#size <= mostInMemory) return;
    this.#long = {
      spool: new Spool(this.#options),
      cutter: new StringCutter({ longest, mostLeft, mark }),
      ends: new MessageEnds(),
    };
    const parts = this.#parts;
    this.#parts = [];
    parts.forEach((one) => this.#spool(one));
  }

  #spool(part: Buffer): void {
    this.#long?.spool.append(part);
    this.#long?.cutter.push(part);
    this.#long?.ends.push(part);
  }
}
