/** The two ends of a line that is longer than the limit. */
export interface LongLine {
  readonly head: string;
  readonly tail: string;
}

interface LineListener {
  /** Gets each complete line, without its line break. */
  readonly line: (line: Buffer) => void;
  /** Gets the ends of a line that is longer than the limit. */
  readonly tooLong: (line: LongLine) => void;
}

/** Bytes that are kept of each end of a long line. */
const edgeBytes = 2_000;
/** Maximum bytes of a line that are kept as separate parts. */
const maxPartBytes = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Splits a byte stream into lines. Of a line longer than `maxBytes` only the two ends are kept, so memory stays bounded. */
export function createLineReader(maxBytes: number, { line, tooLong }: LineListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  /** Replaces the parts of a long line. Joining parts at the end of the line would need twice the memory. */
  let whole: Buffer | undefined;
  let size = 0;
  let long: { head: Buffer; tail: Buffer } | undefined;

  const append = (piece: Buffer) => {
    if (long !== undefined) {
      long.tail = endOf([long.tail, piece]);
      return;
    }
    const end = size + piece.length;
    if (end > maxBytes) {
      const all = [...(whole === undefined ? parts : [whole.subarray(0, size)]), piece];
      long = { head: Buffer.concat(all, Math.min(end, edgeBytes)), tail: endOf(all) };
      parts = [];
      whole = undefined;
      return;
    }
    if (whole === undefined && end > maxPartBytes) {
      // The system reserves memory only for pages that are written.
      whole = Buffer.allocUnsafeSlow(maxBytes);
      Buffer.concat(parts).copy(whole);
      parts = [];
    }
    if (whole === undefined) parts.push(piece);
    else piece.copy(whole, size);
    size = end;
  };
  const finish = () => {
    if (long !== undefined) tooLong({ head: long.head.toString(), tail: long.tail.toString() });
    else line(withoutReturn(whole === undefined ? joinParts(parts) : whole.subarray(0, size)));
    parts = [];
    whole = undefined;
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

/** The two ends of a complete line. */
export function endsOf(line: Buffer): LongLine {
  return { head: line.subarray(0, edgeBytes).toString(), tail: line.subarray(-edgeBytes).toString() };
}

/** Joins the parts of a line. A line of one part, which is the usual case, is not copied. */
function joinParts(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

/** The last bytes of a line. Copies only the parts that contain them. */
function endOf(parts: readonly Buffer[]): Buffer {
  let at = parts.length;
  for (let size = 0; at > 0 && size < edgeBytes; size += parts[at]?.length ?? 0) at -= 1;
  return Buffer.concat(parts.slice(at).map((part) => part.subarray(-edgeBytes))).subarray(-edgeBytes);
}
