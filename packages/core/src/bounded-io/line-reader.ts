/** The two ends of a line that is longer than the limit. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

interface LineListener {
  /** Gets each complete line, without its line break. Empty lines are skipped. */
  readonly line: (line: Buffer) => void;
  /** Gets the ends of a line that is longer than the limit. */
  readonly tooLong: (line: LongLine) => void;
}

/** How many bytes of each end of a long line are kept. */
const edgeBytes = 2_000;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Splits a byte stream into lines. Of a line longer than `maxBytes` only the two ends are kept, so memory stays bounded. */
export function createLineReader(maxBytes: number, { line, tooLong }: LineListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let long: { head: Buffer; tail: Buffer } | undefined;

  const append = (piece: Buffer) => {
    if (long !== undefined) {
      long.tail = endOf([long.tail, piece]);
      return;
    }
    parts.push(piece);
    size += piece.length;
    if (size <= maxBytes) return;
    long = { head: Buffer.concat(parts, Math.min(size, edgeBytes)), tail: endOf(parts) };
    parts = [];
  };
  const finish = () => {
    if (long !== undefined) tooLong({ head: long.head.toString(), tail: long.tail.toString() });
    else if (size > 0) line(joined(parts));
    parts = [];
    size = 0;
    long = undefined;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      append(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) append(chunk.subarray(start));
  };
}

/** The ends of a line that is in memory. */
export function endsOf(line: Buffer): LongLine {
  return { head: line.subarray(0, edgeBytes).toString(), tail: line.subarray(-edgeBytes).toString() };
}

/** Does not copy a line that came in one part, which is the usual case. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  const line = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

/** Copies little more than the end, so that a long line leaves little garbage. */
function endOf(parts: readonly Buffer[]): Buffer {
  let at = parts.length;
  for (let size = 0; at > 0 && size < edgeBytes; size += parts[at]?.length ?? 0) at -= 1;
  return Buffer.concat(parts.slice(at).map((part) => part.subarray(-edgeBytes))).subarray(-edgeBytes);
}
