const newline = 10;

/** Counts bytes, characters and lines of a stream. */
export interface Measure {
  add(bytes: Uint8Array): void;
  readonly size: number;
  readonly characters: number;
  readonly lines: number;
}

/** @param text whether to count characters and lines too */
export function createMeasure(text: boolean): Measure {
  const measure = { size: 0, characters: 0, lines: 0, add };
  let newlines = 0;
  function add(bytes: Uint8Array): void {
    measure.size += bytes.length;
    if (!text || bytes.length === 0) return;
    let characters = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      // UTF-8 continuation bytes do not count.
      if ((byte & 0xc0) !== 0x80) characters += 1;
      if (byte === newline) newlines += 1;
    }
    measure.characters += characters;
    measure.lines = newlines + (bytes.at(-1) === newline ? 0 : 1);
  }
  return measure;
}
