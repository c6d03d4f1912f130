/** A line that was too long to keep: how it began and ended. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

interface Listener {
  readonly line: (text: string) => void;
  readonly tooLong: (line: LongLine) => void;
}

const edge = 2_000;
const lineFeed = 0x0a;

/** Cuts a stream into lines. Of a line beyond `most` bytes only the ends are kept, so that memory stays bounded whatever is sent. */
export function createLineReader(most: number, { line, tooLong }: Listener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let long: { head: string; tail: Buffer } | undefined;

  const take = (piece: Buffer) => {
    if (long !== undefined) {
      long.tail = Buffer.concat([long.tail, piece]).subarray(-edge);
      return;
    }
    parts.push(piece);
    size += piece.length;
    if (size <= most) return;
    const all = Buffer.concat(parts);
    long = { head: all.subarray(0, edge).toString(), tail: Buffer.from(all.subarray(-edge)) };
    parts = [];
  };
  const finish = () => {
    if (long !== undefined) tooLong({ head: long.head, tail: long.tail.toString() });
    else if (size > 0) line(Buffer.concat(parts).toString().replace(/\r$/, ""));
    parts = [];
    size = 0;
    long = undefined;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      take(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}
