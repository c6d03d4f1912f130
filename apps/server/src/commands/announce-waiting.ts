import { printError } from "../print.ts";
import type { Log } from "../log.ts";

const firstDelayMs = 1_000;
const intervalMs = 10_000;
const maxLineCharacters = 200;

/** A log that prints nothing and keeps the last line of each server. */
export class LastLines implements Log {
  readonly #lines = new Map<string, string>();

  /** The last line that a server wrote to stderr or logged. */
  of(server: string): string | undefined {
    return this.#lines.get(server);
  }

  error(message: string): void {
    this.#keep(message);
  }

  warn(message: string): void {
    this.#keep(message);
  }

  info(message: string): void {
    this.#keep(message);
  }

  debug(message: string): void {
    this.#keep(message);
  }

  /** Keeps a line. Lines of a server begin with its name and a colon. */
  #keep(message: string): void {
    const end = message.indexOf(": ");
    if (end > 0) this.#lines.set(message.slice(0, end), message.slice(end + 2));
  }
}

/** Prints on stderr which servers the command waits for, after 1 s and then every 10 s. Returns a function that stops it. */
export function announceWaiting(waiting: ReadonlySet<string>, lines: LastLines): () => void {
  const began = Date.now();
  const announce = () => {
    const seconds = Math.round((Date.now() - began) / 1_000);
    for (const server of waiting) {
      const line = lines.of(server)?.trim().slice(0, maxLineCharacters);
      printError(`toolpacks: waiting for ${server} (${seconds} s)${line ? `: ${line}` : ""}`);
    }
    timer = setTimeout(announce, intervalMs);
  };
  let timer = setTimeout(announce, firstDelayMs);
  return () => clearTimeout(timer);
}
