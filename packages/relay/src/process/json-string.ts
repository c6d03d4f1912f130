import { StringDecoder } from "node:string_decoder";

const backslash = 0x5c;
const letterU = 0x75;
/** `\ud83d\ude00` is one character in twelve bytes; what is held back for the next piece is never longer. */
const pair = 12;
const plain: Readonly<Record<number, number>> = { 0x62: 8, 0x66: 12, 0x6e: 10, 0x72: 13, 0x74: 9 };

/** A string of JSON that is no text: half of a surrogate pair has no bytes that stand for it. */
export class NotWellFormed extends Error {}

/**
 * The bytes that the inside of a JSON string stands for.
 *
 * @throws NotWellFormed for half of a surrogate pair
 */
export async function* decodeJsonString(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    const whole = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const { bytes, used } = decode(whole, false);
    rest = whole.subarray(used);
    yield bytes;
  }
  yield decode(rest, true).bytes;
}

/** The inside of a JSON string that stands for text in UTF-8. */
export async function* encodeJsonString(text: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder("utf8");
  const inside = (part: string) => Buffer.from(JSON.stringify(part).slice(1, -1));
  for await (const { buffer, byteOffset, byteLength } of text) {
    yield inside(decoder.write(Buffer.from(buffer, byteOffset, byteLength)));
  }
  yield inside(decoder.end());
}

/** No escape is shorter than what it stands for, so the bytes fit where the source did. */
function decode(source: Buffer, isLast: boolean): { bytes: Buffer; used: number } {
  const bytes = Buffer.allocUnsafe(source.length);
  let length = 0;
  let at = 0;
  for (;;) {
    const escape = source.indexOf(backslash, at);
    const end = escape === -1 ? source.length : escape;
    length += source.copy(bytes, length, at, end);
    at = end;
    const left = source.length - at;
    const next = source[at + 1] ?? 0;
    if (left === 0 || (!isLast && (left < 2 || (next === letterU && left < pair)))) break;
    if (next === letterU) {
      const character = unicode(source, at);
      length += bytes.write(character, length);
      at += character.length * 6;
    } else {
      bytes[length] = plain[next] ?? next;
      length += 1;
      at += 2;
    }
  }
  return { bytes: bytes.subarray(0, length), used: at };
}

/** One character, of one escape or two. */
function unicode(source: Buffer, at: number): string {
  const [, first = "", second] =
    /^\\u([\da-f]{4})(?:\\u(d[c-f][\da-f]{2}))?/i.exec(source.toString("latin1", at, at + pair)) ?? [];
  const unit = Number.parseInt(first, 16);
  const isHigh = unit >= 0xd800 && unit < 0xdc00;
  const character = String.fromCharCode(unit, ...(isHigh && second !== undefined ? [Number.parseInt(second, 16)] : []));
  if (first === "" || !character.isWellFormed()) throw new NotWellFormed("half of a surrogate pair in a text");
  return character;
}
