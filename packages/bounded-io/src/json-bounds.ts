export interface JsonBounds {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** Maximum fields of all objects. Fields need more time and memory than list items. Default: no limit. */
  readonly maxFields?: number;
}

/** Limits of every message. Deeper values overflow the stack of recursive code. Small values need much more memory than their JSON. */
export const messageBounds: JsonBounds = { maxDepth: 256, maxValues: 1_000_000 };

/** Describes JSON that exceeds a limit, as the end of a sentence "it is …". */
export function exceededMessage(bound: keyof JsonBounds, bounds: JsonBounds = messageBounds): string {
  if (bound === "maxDepth") return `nested more than ${bounds.maxDepth} levels deep`;
  const unit = bound === "maxFields" ? "fields" : "values";
  return `made of more than ${(bounds[bound] ?? 0).toLocaleString("en")} ${unit}`;
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The first limit that a JSON text exceeds. Undefined if it exceeds none. The text is not parsed. */
export function exceededBound(json: Buffer, bounds: JsonBounds = messageBounds): keyof JsonBounds | undefined {
  return createBoundScan(bounds)(json);
}

/**
 * Finds the first limit that JSON exceeds, chunk by chunk. JSON strings contain no line break, so each line starts outside of strings. In an event
 * stream an empty line ends an event. Closing brackets count only in data lines, so that other lines cannot reduce the depth.
 */
export function createBoundScan(bounds: JsonBounds, isEventStream = false) {
  const scan = new BoundScan(bounds, isEventStream);
  return (chunk: Uint8Array): keyof JsonBounds | undefined => scan.read(chunk);
}

const dataField = Buffer.from("data:");

class BoundScan {
  readonly #bounds: JsonBounds;
  readonly #isEventStream: boolean;
  #depth = 0;
  #values = 0;
  #fields = 0;
  #inString = false;
  /** Whether the next byte of the string is escaped. */
  #isEscaped = false;
  /** Bytes of the line before the next chunk. */
  #lineLength = 0;
  #isData = true;
  #lastBreak: number | undefined;

  constructor(bounds: JsonBounds, isEventStream: boolean) {
    this.#bounds = bounds;
    this.#isEventStream = isEventStream;
  }

  read(chunk: Uint8Array): keyof JsonBounds | undefined {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lineBreaks = new LineBreaks(bytes);
    for (let start = 0; start < bytes.length;) {
      const end = lineBreaks.next(start);
      const bound = end > start ? this.#readPart(bytes.subarray(start, end)) : undefined;
      if (bound !== undefined) return bound;
      if (end < bytes.length) this.#endLine(bytes[end]);
      start = end + 1;
    }
    return undefined;
  }

  #readPart(part: Buffer): keyof JsonBounds | undefined {
    if (this.#isEventStream) {
      const field = dataField.subarray(this.#lineLength, this.#lineLength + part.length);
      this.#isData &&= part.subarray(0, field.length).equals(field);
    }
    this.#lineLength += part.length;
    const { maxDepth, maxValues, maxFields = Infinity } = this.#bounds;
    for (let at = this.#inString ? this.#skipString(part, 0) : 0; at < part.length; at += 1) {
      switch (part[at]) {
        case quote:
          if (this.#isData) at = this.#skipString(part, at + 1) - 1;
          break;
        case openBrace:
        case openBracket:
          this.#values += 1;
          this.#depth += 1;
          if (this.#depth > maxDepth) return "maxDepth";
          break;
        case closeBrace:
        case closeBracket:
          if (this.#isData && this.#depth > 0) this.#depth -= 1;
          break;
        case comma:
          this.#values += 1;
          break;
        case colon:
          this.#fields += 1;
          if (this.#fields > maxFields) return "maxFields";
          break;
        default:
          continue;
      }
      if (this.#values > maxValues) return "maxValues";
    }
    return undefined;
  }

  /** The offset behind the closing quote, or the end of the part. */
  #skipString(part: Buffer, from: number): number {
    const start = this.#isEscaped ? from + 1 : from;
    let end = part.indexOf(quote, start);
    while (end >= 0 && isEscapedAt(part, end, start)) end = part.indexOf(quote, end + 1);
    this.#inString = end < 0;
    this.#isEscaped = end < 0 && isEscapedAt(part, part.length, start);
    return end < 0 ? part.length : end + 1;
  }

  #endLine(lineBreak: number | undefined): void {
    const isEmpty = this.#lineLength === 0;
    const isSecondOfPair = isEmpty && lineBreak === lineFeed && this.#lastBreak === carriageReturn;
    if (this.#isEventStream && isEmpty && !isSecondOfPair) {
      this.#depth = 0;
      this.#values = 0;
      this.#fields = 0;
    }
    this.#lastBreak = lineBreak;
    this.#lineLength = 0;
    this.#isData = true;
    this.#inString = false;
    this.#isEscaped = false;
  }
}

/** Finds line breaks in order, searching each byte once. */
class LineBreaks {
  readonly #bytes: Buffer;
  #lineFeed: number;
  #carriageReturn: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#lineFeed = this.#find(lineFeed, 0);
    this.#carriageReturn = this.#find(carriageReturn, 0);
  }

  /** The offset of the first line break from `from` on; the length where there is none. */
  next(from: number): number {
    if (this.#lineFeed < from) this.#lineFeed = this.#find(lineFeed, from);
    if (this.#carriageReturn < from) this.#carriageReturn = this.#find(carriageReturn, from);
    return Math.min(this.#lineFeed, this.#carriageReturn);
  }

  #find(byte: number, from: number): number {
    const at = this.#bytes.indexOf(byte, from);
    return at < 0 ? this.#bytes.length : at;
  }
}

/** Whether an odd number of backslashes stands before the byte. */
function isEscapedAt(text: Buffer, at: number, start: number): boolean {
  let first = at;
  while (first > start && text[first - 1] === backslash) first -= 1;
  return (at - first) % 2 === 1;
}
