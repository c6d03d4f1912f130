import { clearProgress, printProgress } from "../print-terminal.ts";

/** Delay of the first line in a pipe, and then between lines, in ms. A terminal has one line, which changes. */
const pipeMs = { first: 2_000, next: 10_000 };
const terminalMs = { first: 300, next: 200 };

/** Passes lines on, and shows on stderr how many were read. */
export async function* withProgress(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const { first, next } = process.stderr.isTTY ? terminalMs : pipeMs;
  let due = Date.now() + first;
  let count = 0;
  let isShown = false;
  try {
    for await (const line of lines) {
      count += 1;
      // An import may keep the event loop busy, so a timer would be late.
      if (Date.now() >= due) {
        printProgress(`${count} lines read`, false);
        isShown = true;
        due = Date.now() + next;
      }
      yield line;
    }
  } finally {
    if (isShown) clearProgress();
  }
}
