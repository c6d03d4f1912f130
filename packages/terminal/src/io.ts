import type { Readable, Writable } from "node:stream";

/** What a command reads from its process and writes to it. Only `main.ts` creates one from the process itself. */
export interface Io {
  /** The words after the name of the program. */
  readonly args: readonly string[];
  /** Absolute path of the current folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Number of columns of the terminal on stdout. Undefined: stdout is not a terminal. */
  readonly columns: number | undefined;
  /** Aborted by SIGINT or SIGTERM, with the name of the signal as reason. A command that does not read it is killed by these signals. */
  readonly signal: AbortSignal;
}

export type Input = Readable & { readonly isTTY?: boolean };

export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly fd?: number;
  /** Number of bits of a color. Only a terminal has it. */
  getColorDepth?(env?: object): number;
};

/** Whether an output shows colors: a terminal that has them, unless `NO_COLOR` is set. `FORCE_COLOR` shows them anywhere. */
export function hasColors({ env }: Pick<Io, "env">, output: Output): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none } = env;
  if (forced !== undefined) return forced !== "0" && forced !== "false" && !none;
  return output.isTTY === true && (output.getColorDepth?.(env) ?? 1) > 2;
}

let current: Io | undefined;

/** The streams, folder, variables and signals of this process. */
export function processIo(): Io {
  return (current ??= {
    args: process.argv.slice(2),
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    // A terminal may not know its size.
    columns: process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
    get signal() {
      return (signal ??= handleSignals());
    },
  });
}

let signal: AbortSignal | undefined;

/** A second Ctrl-C kills the process. */
function handleSignals(): AbortSignal {
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort("SIGINT"));
  process.on("SIGTERM", () => interrupted.abort("SIGTERM"));
  return interrupted.signal;
}
