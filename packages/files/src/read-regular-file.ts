import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/**
 * Reads a complete regular file. Rejects a FIFO or a device, which could block or never end.
 *
 * @param maxBytes maximum size of the file
 * @throws Error when the file is not regular or too large; the error of the operating system when it cannot be opened
 */
export function readRegularFile(file: string, maxBytes: number): Buffer {
  // Without O_NONBLOCK, opening a FIFO waits for a writer. Windows has neither.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error("not a regular file");
    return readAtMost(descriptor, maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

function readAtMost(descriptor: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  for (let size = 0; ;) {
    const chunk = Buffer.alloc(65_536);
    const count = readSync(descriptor, chunk);
    if (count === 0) return Buffer.concat(chunks);
    size += count;
    if (size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, count));
  }
}
