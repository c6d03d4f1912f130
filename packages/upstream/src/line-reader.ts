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
      long.tail = endOf([long.tail, piece]);
      return;
    }
    parts.push(piece);
    size += piece.length;
    if (size <= most) return;
    long = { head: Buffer.concat(parts, Math.min(size, edge)).toString(), tail: endOf(parts) };
    parts = [];
  };
  const finish = () => {
    if (long !== undefined) tooLong({ head: long.head, tail: long.tail.toString() });
    else if (size > 0) line(textOf(parts));
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

/** Nearly every line comes in one part. */
function textOf(parts: readonly Buffer[]): string {
  const [first] = parts;
  const text = (first !== undefined && parts.length === 1 ? first : Buffer.concat(parts)).toString();
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** Copies little more than the end, so that a long line leaves little garbage behind. */
function endOf(parts: readonly Buffer[]): Buffer {
  let at = parts.length;
  for (let size = 0; at > 0 && size < edge; size += parts[at]?.length ?? 0) at -= 1;
  return Buffer.concat(parts.slice(at).map((part) => part.subarray(-edge))).subarray(-edge);
}
