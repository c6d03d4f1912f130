import type { Io } from "./io.ts";
import { printError } from "./print.ts";

/** Delay of the first line, and then between lines, in ms. */
const firstMs = 2_000;
const nextMs = 10_000;
const maxLineCharacters = 200;

/**
 * Names on stderr the servers that a command waits for, after 2 s and then every 10 s. Returns a function that stops it.
 *
 * @param lastLine the last line that a server wrote, which is shown while it is the only one
 */
export function announceWaiting(
  io: Io,
  waiting: ReadonlySet<string>,
  lastLine: (server: string) => string | undefined = () => undefined,
): () => void {
  const began = Date.now();
  const announce = () => {
    const [server = ""] = waiting;
    const last = waiting.size === 1 ? lastLine(server)?.trim().slice(0, maxLineCharacters) : undefined;
    const seconds = Math.round((Date.now() - began) / 1_000);
    if (waiting.size > 0)
      printError(io, `waiting for ${[...waiting].join(", ")} (${seconds} s)${last ? `: ${last}` : ""}`);
    timer = setTimeout(announce, nextMs);
  };
  let timer = setTimeout(announce, firstMs);
  return () => clearTimeout(timer);
}

/** A server that will be ready later. */
interface StartingServer {
  readonly name: string;
  readonly ready: () => Promise<unknown>;
}

/** Waits until servers are ready, and names those that are not yet. */
export async function waitForServers(io: Io, servers: readonly StartingServer[]): Promise<void> {
  const waiting = new Set(servers.map(({ name }) => name));
  const stop = announceWaiting(io, waiting);
  await Promise.all(servers.map((one) => one.ready().finally(() => waiting.delete(one.name)))).finally(stop);
}
