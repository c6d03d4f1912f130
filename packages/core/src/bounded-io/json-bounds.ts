export interface JsonBounds {
  readonly maxDepth: number;
  readonly maxValues: number;
}

const quote = 0x22;
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
