import type { Io } from "./io.ts";
import { clearProgress, printProgress } from "./print-terminal.ts";

/** Delay of the first line in a pipe, and then between lines, in ms. */
const pipeMs = { first: 2_000, next: 10_000 };
/** Delay of the spinner on a terminal, and between its frames, in ms. */
const terminalMs = { first: 300, next: 100 };
const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const maxLineCharacters = 200;

/**
 * Shows on stderr which servers a command waits for: a spinner on a terminal, and in a pipe a line after 2 s and then every 10 s. Returns a function that
 * stops it.
 *
 * @param lastLine the last line that a server wrote, which is shown while it is the only one
 */
export function announceWaiting(
  io: Io,
  waiting: ReadonlySet<string>,
  lastLine: (server: string) => string | undefined = () => undefined,
): () => void {
  const began = Date.now();
  const isTerminal = io.stderr.isTTY === true;
  const delay = isTerminal ? terminalMs : pipeMs;
  let frame = 0;
  const show = () => {
    const [server = ""] = waiting;
    const last = waiting.size === 1 ? lastLine(server)?.trim().slice(0, maxLineCharacters) : undefined;
    const seconds = Math.round((Date.now() - began) / 1_000);
    const text = `waiting for ${[...waiting].join(", ")} (${seconds} s)${last ? `: ${last}` : ""}`;
    if (waiting.size === 0) clearProgress(io);
    else if (!isTerminal) printProgress(io, `toolpacks: ${text}`);
    // A longer line would wrap, and the next frame would not replace it.
    else printProgress(io, `${frames[frame % frames.length]} ${text}`.slice(0, (io.stderr.columns || 80) - 1));
    frame += 1;
    timer = setTimeout(show, delay.next);
  };
  let timer = setTimeout(show, delay.first);
  return () => {
    clearTimeout(timer);
    if (frame > 0) clearProgress(io);
  };
}

/** A server that will be ready later. */
interface StartingServer {
  readonly name: string;
  readonly ready: () => Promise<unknown>;
}

/** Waits until servers are ready, and shows which of them are not yet. */
export async function waitForServers(io: Io, servers: readonly StartingServer[]): Promise<void> {
  const waiting = new Set(servers.map(({ name }) => name));
  const stop = announceWaiting(io, waiting);
  await Promise.all(servers.map((one) => one.ready().finally(() => waiting.delete(one.name)))).finally(stop);
}
