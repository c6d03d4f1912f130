import type { UpstreamPack } from "@toolpacks/upstream";
import { type Io, clearProgress, printProgress, printError } from "@toolpacks/terminal";
import type { Log } from "../log.ts";

/** Delay of the first line in a pipe, and then between lines, in ms. */
const delaysMs = { first: 2_000, next: 10_000 };
/** Delay of the spinner on a terminal, and between its frames, in ms. */
const spinnerMs = { first: 300, next: 100 };
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
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

/**
 * Shows on stderr which servers the command waits for: a spinner on a terminal, and in a pipe a line for each server after 2 s and then every 10 s. Returns
 * a function that stops it.
 */
export function announceWaiting(io: Io, waiting: ReadonlySet<string>, lines = new LastLines()): () => void {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1_000);
  const state = { io, lines, seconds };
  return io.stderr.isTTY === true ? spin(waiting, state) : printLines(waiting, state);
}

/** Shows which servers a request waits for, each time they change. Shows nothing if there is none. */
export function showWaiting(io: Io) {
  const waiting = new Set<string>();
  let stop: (() => void) | undefined;
  return {
    update(names: readonly string[]): void {
      waiting.clear();
      for (const name of names) waiting.add(name);
      if (names.length > 0) stop ??= announceWaiting(io, waiting);
    },
    stop: () => stop?.(),
  };
}

/** Waits for what other servers do, such as to start, and shows which of them are not done yet. */
export async function waitForServers(io: Io, packs: readonly UpstreamPack[]): Promise<void> {
  const waiting = new Set(packs.map(({ name }) => name));
  const stop = announceWaiting(io, waiting);
  await Promise.all(packs.map((pack) => pack.ready().finally(() => waiting.delete(pack.name)))).finally(stop);
}

interface WaitingState {
  readonly io: Io;
  readonly lines: LastLines;
  readonly seconds: () => number;
}

function printLines(waiting: ReadonlySet<string>, { io, lines, seconds }: WaitingState): () => void {
  const announce = () => {
    for (const server of waiting) {
      printError(io, `toolpacks: waiting for ${server} (${seconds()} s)${lastLine(server, lines)}`);
    }
    timer = setTimeout(announce, delaysMs.next);
  };
  let timer = setTimeout(announce, delaysMs.first);
  return () => clearTimeout(timer);
}

function spin(waiting: ReadonlySet<string>, { io, lines, seconds }: WaitingState): () => void {
  let frame = 0;
  const draw = () => {
    const [server = ""] = waiting;
    const last = waiting.size === 1 ? lastLine(server, lines) : "";
    const text = `${frames[frame % frames.length]} waiting for ${[...waiting].join(", ")} (${seconds()} s)${last}`;
    if (waiting.size === 0) clearProgress(io);
    // A longer line would wrap, and the next frame would not replace it.
    else printProgress(io, text.slice(0, (io.stderr.columns || 80) - 1), false);
    frame += 1;
    timer = setTimeout(draw, spinnerMs.next);
  };
  let timer = setTimeout(draw, spinnerMs.first);
  return () => {
    clearTimeout(timer);
    if (frame > 0) clearProgress(io);
  };
}

function lastLine(server: string, lines: LastLines): string {
  const line = lines.of(server)?.trim().slice(0, maxLineCharacters);
  return line ? `: ${line}` : "";
}
