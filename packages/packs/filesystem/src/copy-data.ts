import type { FileHandle } from "node:fs/promises";

const chunkBytes = 1024 * 1024;
const blockBytes = 4096;
const zeros = Buffer.alloc(chunkBytes);

interface CopyOptions {
  /** Maximum number of bytes to read. */
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Copies a file's bytes. Blocks of zeros become holes. */
export async function copyData(source: FileHandle, target: FileHandle, { size, signal }: CopyOptions): Promise<void> {
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < size;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunkBytes, size - at), at);
    if (bytesRead === 0) break;
    if (!isZero(chunk.subarray(0, bytesRead))) await writeBlocks(target, chunk.subarray(0, bytesRead), at);
    at += bytesRead;
  }
  await target.truncate(size);
}

async function writeBlocks(target: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let at = 0; at < chunk.length; at += blockBytes) {
    const block = chunk.subarray(at, at + blockBytes);
    if (isZero(block)) continue;
    for (let written = 0; written < block.length;) {
      const { bytesWritten } = await target.write(block, written, block.length - written, position + at + written);
      written += bytesWritten;
    }
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.equals(zeros.subarray(0, bytes.length));
}
