import { Writable } from "node:stream";

/** Keeps stdout for the protocol alone: what a pack writes there, by whatever way, goes to stderr from now on. */
export function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => void write(chunk, encoding, done),
  });
}
