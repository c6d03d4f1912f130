const nul = 0;
const lineBreak = 10;

/** Parses `path NUL`, the output of `--files` and `--files-with-matches` with `--null`. Yields one array for each chunk. */
export async function* pathRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const end = bytes.lastIndexOf(nul) + 1;
    buffered = bytes.subarray(end);
    yield bytes.toString("utf8", 0, end).split("\0").slice(0, -1);
  }
}

export interface CountRecord {
  readonly path: string;
  readonly count: number;
}

/** Parses `path NUL count` and a line break, the output of `--count` with `--null`. */
export async function* countRecords(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly CountRecord[]> {
  let buffered: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    const records: CountRecord[] = [];
    let at = 0;
    for (;;) {
      // Search after the NUL, because a file's name may contain a line break.
      const between = bytes.indexOf(nul, at);
      const end = between === -1 ? -1 : bytes.indexOf(lineBreak, between);
      if (end === -1) break;
      records.push({
        path: bytes.toString("utf8", at, between),
        count: Number(bytes.toString("latin1", between + 1, end)),
      });
      at = end + 1;
    }
    buffered = bytes.subarray(at);
    yield records;
  }
}
