import { type Io, clearProgress, printProgress } from "@toolpacks/terminal";

/** Delay of the first line in a pipe, and then between lines, in ms. A terminal has one line, which changes. */
const pipeMs = { first: 2_000, next: 10_000 };
const terminalMs = { first: 300, next: 200 };

interface Progress<T> {
  /** How much one item adds to the count. */
  readonly count: (item: T) => number;
  /** The line that shows a count. */
  readonly text: (count: number) => string;
}

const lineProgress: Progress<unknown> = { count: () => 1, text: (count) => `${count} lines read` };

/** Passes lines or other items on, and shows on stderr how much was read. */
export async function* withProgress<T>(
  io: Io,
  items: AsyncIterable<T>,
  progress: Progress<T> = lineProgress,
): AsyncGenerator<T> {
  const { first, next } = io.stderr.isTTY === true ? terminalMs : pipeMs;
  let due = Date.now() + first;
  let count = 0;
  let isShown = false;
  try {
    for await (const item of items) {
      count += progress.count(item);
      // An import may keep the event loop busy, so a timer would be late.
      if (Date.now() >= due) {
        printProgress(io, progress.text(count));
        isShown = true;
        due = Date.now() + next;
      }
      yield item;
    }
  } finally {
    if (isShown) clearProgress(io);
  }
}
