/** How many bytes of either end are kept. */
export const endBytes = 256;

/** The first and last bytes of a message that comes in pieces and is longer than both together. */
export class MessageEnds {
  #first: Buffer = Buffer.alloc(0);
  #last: Buffer = Buffer.alloc(0);

  push(piece: Buffer): void {
    const room = endBytes - this.#first.length;
    if (room > 0) this.#first = Buffer.concat([this.#first, piece.subarray(0, room)]);
    // A copy: a part of a piece would keep all of the piece in memory.
    this.#last = Buffer.concat([this.#last, piece.subarray(-endBytes)]).subarray(-endBytes);
  }

  get first(): string {
    return this.#first.toString();
  }

  get last(): string {
    return this.#last.toString();
  }
}
