export interface JsonBounds {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** The bounds of every message, whoever sends it. Deeper ones overflow the stack of recursive code; an empty list takes many times its two bytes of memory. */
export const messageBounds: JsonBounds = { maxDepth: 256, maxValues: 1_000_000 };

/** What is said of JSON that exceeds a bound: "it is …". */
export function exceededMessage(bound: keyof JsonBounds, bounds: JsonBounds = messageBounds): string {
  return bound === "maxDepth"
    ? `nested more than ${bounds.maxDepth} levels deep`
    : `made of more than ${bounds.maxValues.toLocaleString("en")} values`;
}

const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The first bound that a JSON text exceeds, found in one pass before the text is parsed. */
export function exceededBound(json: Buffer, { maxDepth, maxValues }: JsonBounds): keyof JsonBounds | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at);
        break;
      case openBrace:
      case openBracket:
        depth += 1;
        values += 1;
        if (depth > maxDepth) return "maxDepth";
        break;
      case closeBrace:
      case closeBracket:
        depth -= 1;
        break;
      case comma:
        values += 1;
        break;
      default:
    }
    if (values > maxValues) return "maxValues";
  }
  return undefined;
}

/** The offset of the closing quote, or of the last byte where there is none. */
function endOfString(json: Buffer, open: number): number {
  for (let end = json.indexOf(quote, open + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/**
 * Finds the first bound that the JSON in a response exceeds, chunk by chunk. No string of JSON has a line break, so a line is read without what
 * stands before it. In an event stream an empty line ends an event, and a line that is no data only adds to the depth: brackets there must not
 * make up for those in the data.
 */
export function createBoundScan({ maxDepth, maxValues }: JsonBounds, isEventStream: boolean) {
  let depth = 0;
  let values = 0;
  let inString = false;
  let isEscaped = false;
  let lineLength = 0;
  let isData = true;
  let previous = 0;

  const endLine = (byte: number) => {
    const isSecondOfPair = byte === lineFeed && previous === carriageReturn;
    if (isEventStream && lineLength === 0 && !isSecondOfPair) {
      depth = 0;
      values = 0;
    }
    lineLength = 0;
    isData = true;
    inString = false;
    isEscaped = false;
  };
  const readByte = (byte: number) => {
    if (inString) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = isData;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      values += 1;
    } else if (byte === closeBrace || byte === closeBracket) depth = isData ? Math.max(0, depth - 1) : depth;
    else if (byte === comma) values += 1;
  };
  return (chunk: Uint8Array): keyof JsonBounds | undefined => {
    for (const byte of chunk) {
      if (byte === lineFeed || byte === carriageReturn) endLine(byte);
      else {
        if (isEventStream && lineLength < dataField.length && byte !== dataField[lineLength]) isData = false;
        lineLength += 1;
        readByte(byte);
      }
      previous = byte;
      if (depth > maxDepth) return "maxDepth";
      if (values > maxValues) return "maxValues";
    }
    return undefined;
  };
}

const dataField = Buffer.from("data:");
