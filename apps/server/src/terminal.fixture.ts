import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cli } from "./command.fixture.ts";
import { shellQuote } from "./shell-quote.ts";

/** A program that runs a command on a pseudo-terminal. */
const script = "/usr/bin/script";

export const hasTerminal = existsSync(script);

interface TerminalOptions {
  readonly cwd: string;
  readonly columns: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command on a terminal of this width. Returns what the terminal gets, with escape sequences. */
export function runOnTerminal(args: readonly string[], { cwd, columns, env = {} }: TerminalOptions): Promise<string> {
  const command = [process.execPath, cli, ...args].map((word) => shellQuote(word)).join(" ");
  // The terminal of `script` has no size.
  const line = `/usr/bin/stty cols ${columns} rows 40; ${command}`;
  const { NO_COLOR: _noColor, FORCE_COLOR: _forceColor, ...inherited } = process.env;
  const settings = { cwd, env: { ...inherited, TERM: "xterm", SHELL: "/bin/sh", ...env } };
  return new Promise((resolve, reject) => {
    const child = execFile(script, ["-qec", line, "/dev/null"], settings, (error, stdout) => {
      if (typeof error?.code === "string") reject(error);
      else resolve(stdout.replaceAll("\r\n", "\n"));
    });
    child.stdin?.end();
  });
}
