const quote = 0x22;
const backslash = 0x5c;

/** The inside of a long string, between its quotes, in bytes of the message. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

/** A message without its long strings: each is a mark in `rest`, in the order of `cuts`. */
export interface CutMessage {
  readonly rest: string;
  readonly cuts: readonly Cut[];
}

export interface CutterOptions {
  /** Bytes that a string must be longer than to be cut out. */
  readonly longest: number;
  /** Bytes of the rest beyond which a message is not cut at all. */
  readonly mostLeft: number;
  /** What stands for the cut of this number; must be the inside of a JSON string. */
  readonly mark: (cut: number) => string;
}

/** Cuts long strings out of a JSON text that comes in pieces, holding no more of it than what is left. */
export class StringCutter {
  readonly #options: CutterOptions;
  readonly #cuts: Cut[] = [];
  #left: Buffer[] = [];
  #leftBytes = 0;
  /** Bytes before the piece at hand. */
  #offset = 0;
  /** Where the inside of the string at hand begins; -1 between strings. */
  #start = -1;
  #inside: Buffer[] = [];
  #isLong = false;
  #isEscaped = false;

  constructor(options: CutterOptions) {
    this.#options = options;
  }

  push(piece: Buffer): void {
    for (let at = 0; at < piece.length;) at = this.#start < 0 ? this.#between(piece, at) : this.#string(piece, at);
    this.#offset += piece.length;
  }

  /** Undefined for a text that ends inside a string, or of which too much is left. */
  end(): CutMessage | undefined {
    if (this.#start >= 0 || this.#leftBytes > this.#options.mostLeft) return undefined;
    return { rest: Buffer.concat(this.#left).toString(), cuts: this.#cuts };
  }

  #between(piece: Buffer, from: number): number {
    const found = piece.indexOf(quote, from);
    const to = found === -1 ? piece.length : found + 1;
    this.#leave(piece.subarray(from, to));
    if (found !== -1) this.#start = this.#offset + to;
    return to;
  }

  #string(piece: Buffer, from: number): number {
    const { at, isFound, isEscaped } = endOfString(piece, this.#isEscaped ? from + 1 : from);
    this.#isEscaped = isEscaped;
    const end = isFound ? at - 1 : at;
    if (!this.#isLong) {
      this.#inside.push(piece.subarray(from, end));
      this.#isLong = this.#offset + end - this.#start > this.#options.longest;
      if (this.#isLong) this.#inside = [];
    }
    if (isFound) this.#finish(this.#offset + end, piece.subarray(end, at));
    return at;
  }

  #finish(end: number, closing: Buffer): void {
    if (this.#isLong) {
      this.#leave(Buffer.from(this.#options.mark(this.#cuts.length)));
      this.#cuts.push({ start: this.#start, end });
    } else this.#inside.forEach((part) => this.#leave(part));
    this.#leave(closing);
    this.#start = -1;
    this.#inside = [];
    this.#isLong = false;
  }

  #leave(part: Buffer): void {
    this.#leftBytes += part.length;
    // A copy: a part of a piece would keep all of the piece in memory.
    if (this.#leftBytes <= this.#options.mostLeft) this.#left.push(Buffer.from(part));
    else this.#left = [];
  }
}

interface StringEnd {
  /** Behind the closing quote, or behind the piece. */
  readonly at: number;
  readonly isFound: boolean;
  /** Whether the next piece begins with an escaped character. */
  readonly isEscaped: boolean;
}

function endOfString(piece: Buffer, from: number): StringEnd {
  let end = -2;
  let escape = -2;
  for (let at = from; ; at = escape + 2) {
    if (at > piece.length) return { at: piece.length, isFound: false, isEscaped: true };
    // Only what lies behind is looked for again, or a text of many escapes would be searched to its end for each of them.
    if (end !== -1 && end < at) end = piece.indexOf(quote, at);
    if (escape !== -1 && escape < at) escape = piece.indexOf(backslash, at);
    if (escape === -1 || (end !== -1 && end < escape)) {
      return end === -1
        ? { at: piece.length, isFound: false, isEscaped: false }
        : { at: end + 1, isFound: true, isEscaped: false };
    }
  }
}
