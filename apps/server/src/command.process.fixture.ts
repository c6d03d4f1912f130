import { execFile, spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import { folder, withTrust, type Finished } from "./run-cli.fixture.ts";

/** The built command. `pnpm test` builds before it tests. */
export const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));

/** Environment variables for a server that a client starts: its data folder is not the one of the user who runs the tests. */
export const dataFolder = { XDG_DATA_HOME: process.env["XDG_DATA_HOME"] ?? folder() };

/** The home folder of commands: `doctor` finds no client of the user who runs the tests. */
const emptyHome = folder();

interface RunOptions {
  /** Default: the built command of this folder. */
  readonly program?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether file modes apply to root too. */
  readonly obeysModes?: boolean;
  /** Whether a config file that the command finds is trusted. Default true. */
  readonly isTrusted?: boolean;
}

/** Starts a command as root without the right to bypass file modes. Another user could not read the command in a private folder. */
const setpriv = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"];

/** Runs the command until it exits, with an empty stdin. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { program = cli, cwd = folder(), env = {}, obeysModes = false, isTrusted = true } = options;
  const prefix = obeysModes && process.getuid?.() === 0 ? setpriv : [];
  const [command = "", ...rest] = [...prefix, process.execPath, program, ...withTrust(args, isTrusted)];
  return new Promise((resolve) => {
    const child = execFile(
      command,
      rest,
      { cwd, env: { ...process.env, HOME: emptyHome, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

/** Starts the server as a process that the test writes to directly, without a client library. */
export function start(args: readonly string[], cwd = folder(), { detached = false, isTrusted = true } = {}): Running {
  const child = spawn(process.execPath, [cli, ...withTrust(args, isTrusted)], { cwd, detached });
  // Writing to a server that has exited is not a test failure.
  child.stdin.on("error", () => {});
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return {
    child,
    output,
    ended,
    send: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async answer(id) {
      for (;;) {
        const line = output.stdout.split("\n").find((one) => one.includes(`"id":${id}`));
        if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
        if (child.exitCode !== null) throw new Error(`the server ended: ${output.stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly ended: Promise<number | null>;
  send(message: object): void;
  answer(id: number): Promise<Record<string, unknown>>;
}
