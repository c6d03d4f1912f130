const nul = 0;
const lineBreak = 10;

/** A file and, where ripgrep counted, how often it matches. */
export interface PathRecord {
  readonly path: string;
  readonly count: number;
}

/** Reads `path NUL` as `--files` and `--files-with-matches` write it with `--null`, one array for each chunk. */
export async function* pathRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly PathRecord[]> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const end = bytes.lastIndexOf(nul) + 1;
    const paths = bytes.toString("utf8", 0, end).split("\0").slice(0, -1);
    held = bytes.subarray(end);
    yield paths.map((path) => ({ path, count: 1 }));
  }
}

/** Reads `path NUL count` and a line break, as `--count` writes it with `--null`. */
export async function* countRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly PathRecord[]> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const records: PathRecord[] = [];
    let at = 0;
    for (;;) {
      // Not the first line break: a file's name may hold one.
      const between = bytes.indexOf(nul, at);
      const end = between === -1 ? -1 : bytes.indexOf(lineBreak, between);
      if (end === -1) break;
      records.push({
        path: bytes.toString("utf8", at, between),
        count: Number(bytes.toString("latin1", between + 1, end)),
      });
      at = end + 1;
    }
    held = bytes.subarray(at);
    yield records;
  }
}
