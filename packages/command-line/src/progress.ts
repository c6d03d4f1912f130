import { type Io, clearProgress, printProgress } from "@toolpacks/terminal";

/** Delay of the first line in a pipe, and then between lines, in ms. A terminal has one line, which changes. */
const pipeMs = { first: 2_000, next: 10_000 };
const terminalMs = { first: 300, next: 200 };

/** Passes lines or chunks on, and shows on stderr how much was read: the number of lines, or the size of the chunks. */
export async function* withProgress<T extends string | Buffer>(io: Io, items: AsyncIterable<T>): AsyncGenerator<T> {
  const { first, next } = io.stderr.isTTY === true ? terminalMs : pipeMs;
  let due = Date.now() + first;
  let count = 0;
  try {
    for await (const item of items) {
      count += typeof item === "string" ? 1 : item.length;
      // An import may keep the event loop busy, so a timer would be late.
      if (Date.now() >= due) {
        const read = typeof item === "string" ? `${count} lines` : `${Math.floor(count / 1024 ** 2)} MiB`;
        printProgress(io, `${read} read`);
        due = Date.now() + next;
      }
      yield item;
    }
  } finally {
    clearProgress(io);
  }
}
