import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, rename, truncate, writeFile } from "node:fs/promises";
import path from "node:path";

const hashBytes = 16;
/** Maximum number of vectors in a file: about 30 MB. A full file begins anew with the latest vectors of the process. */
const maxEntries = 20_000;

/**
 * Vectors on disk by the hash of their text, in the byte order of the machine. Several processes may use one file.
 *
 * @param file its path. The file and its folder are created at the first vector, for this user only.
 */
export function openVectorFile(file: string, dimensions: number) {
  const entryBytes = hashBytes + 4 * dimensions;
  let loading: Promise<Map<string, Float32Array>> | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function load(): Promise<Map<string, Float32Array>> {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    const vectors = new Map<string, Float32Array>();
    const whole = bytes.length - (bytes.length % entryBytes);
    // A process that was killed may have left a part of an entry. Entries after it would not be found.
    if (whole < bytes.length) await truncate(file, whole).catch(() => {});
    for (let at = 0; at + entryBytes <= bytes.length; at += entryBytes) {
      const copy = new Uint8Array(bytes.subarray(at + hashBytes, at + entryBytes));
      vectors.set(bytes.toString("hex", at, at + hashBytes), new Float32Array(copy.buffer));
    }
    return vectors;
  }
  async function write(entries: Buffer, known: Map<string, Float32Array>): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    if (known.size <= maxEntries) return appendFile(file, entries, { mode: 0o600 });
    known.clear();
    const part = `${file}.${process.pid}`;
    await writeFile(part, entries, { mode: 0o600 });
    await rename(part, file);
  }
  return {
    async get(text: string): Promise<Float32Array | undefined> {
      loading ??= load();
      return (await loading).get(hashOf(text));
    },
    /** Writes vectors. A failure is ignored, since they can be made again. */
    async add(texts: readonly string[], vectors: readonly Float32Array[]): Promise<void> {
      loading ??= load();
      const known = await loading;
      const entries: Buffer[] = [];
      for (const [at, text] of texts.entries()) {
        const vector = vectors[at] ?? new Float32Array(dimensions);
        known.set(hashOf(text), vector);
        entries.push(
          Buffer.from(hashOf(text), "hex"),
          Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
        );
      }
      writing = writing.then(() => write(Buffer.concat(entries), known)).catch(() => {});
      await writing;
    },
  };
}

function hashOf(text: string): string {
  return createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, 2 * hashBytes);
}
