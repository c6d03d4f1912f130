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
  let size = 0;
  let characters = 0;
  let newlines = 0;
  let last = newline;
  return {
    add(bytes) {
      size += bytes.length;
      if (!text) return;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] ?? 0;
        // UTF-8 continuation bytes do not count.
        if ((byte & 0xc0) !== 0x80) characters += 1;
        if (byte === newline) newlines += 1;
      }
      last = bytes.at(-1) ?? last;
    },
    get size() {
      return size;
    },
    get characters() {
      return characters;
    },
    get lines() {
      return newlines + (last === newline ? 0 : 1);
    },
  };
}
