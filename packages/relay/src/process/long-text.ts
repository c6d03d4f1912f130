import { decodeJsonString, encodeJsonString } from "./json-string.ts";

/** From a byte on; default: all. */
type Pieces = (from?: number) => AsyncIterable<Buffer>;

/** A string of a message that is not in memory. */
export class LongText {
  /** As it stands in JSON, between its quotes. */
  readonly json: Pieces;
  /** About how many bytes of JSON it is. */
  readonly size: number;

  constructor(json: Pieces, size: number) {
    this.json = json;
    this.size = size;
  }

  /** @throws NotWellFormed for what is no text */
  utf8(): AsyncIterable<Buffer> {
    return decodeJsonString(this.json());
  }

  /** One that is only written, and so is read from its beginning. */
  static ofUtf8(text: () => AsyncIterable<Uint8Array>, size: number): LongText {
    return new LongText(() => encodeJsonString(text()), size);
  }
}
