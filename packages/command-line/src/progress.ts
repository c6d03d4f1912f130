import { type Io, printError } from "@toolpacks/terminal";

/** Delay of the first line, and then between lines, in ms. */
const firstMs = 2_000;
const nextMs = 10_000;

/** Passes lines or chunks on, and prints on stderr how much was read: the number of lines, or the size of the chunks. */
export async function* withProgress<T extends string | Buffer>(io: Io, items: AsyncIterable<T>): AsyncGenerator<T> {
  let due = Date.now() + firstMs;
  let count = 0;
  for await (const item of items) {
    count += typeof item === "string" ? 1 : item.length;
    // An import may keep the event loop busy, so a timer would be late.
    if (Date.now() >= due) {
      printError(io, typeof item === "string" ? `${count} lines read` : `${Math.floor(count / 1024 ** 2)} MiB read`);
      due = Date.now() + nextMs;
    }
    yield item;
  }
}
