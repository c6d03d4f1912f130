import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { WriteStream } from "node:tty";
import type { Input, Io, Output } from "@toolpacks/terminal";
import { runProgram } from "@toolpacks/command-line";
import { program } from "./command-line/commands.ts";

export interface RunOptions {
  /** Default: a new folder. */
  readonly cwd?: string;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: an empty pipe. */
  readonly stdin?: string | Readable;
  /** Width of the terminal on stdin, stdout and stderr. Default: pipes. */
  readonly columns?: number;
  /** Whether a config file that the command finds is trusted. Default true. */
  readonly isTrusted?: boolean;
  readonly signal?: AbortSignal;
}

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in this process until it ends. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { io, output } = testIo(withTrust(args, options.isTrusted ?? true), options);
  const code = await withVariables(options.env, () => runProgram(io, program));
  return { code, stdout: output.stdout(), stderr: output.stderr() };
}

interface TerminalOptions extends Omit<RunOptions, "stdin" | "signal"> {
  /** Interrupts the command once the output contains this text. */
  readonly until?: string;
}

/** Runs a command on a terminal of this process until it ends. Its stdout and stderr are one output, with colours. */
export async function runOnTerminal(args: readonly string[], options: TerminalOptions = {}): Promise<string> {
  const { until, columns = 80 } = options;
  const interrupted = new AbortController();
  const stdin = new PassThrough();
  const { io, output } = testIo(args, { ...options, columns, stdin, signal: interrupted.signal });
  const look = () => {
    if (until !== undefined && output.all().includes(until)) interrupted.abort("SIGINT");
  };
  for (const stream of [io.stdout, io.stderr]) stream.on("data", look);
  await withVariables(options.env, () => runProgram(io, program));
  return output.all();
}

/** The streams of a command, and what was written to them. */
export function testIo(args: readonly string[] = [], options: RunOptions = {}) {
  const { cwd = folder(), env, stdin = "", columns, signal = new AbortController().signal } = options;
  const all: Buffer[] = [];
  const [stdout, stderr] = [outputStream(columns, all), outputStream(columns, all)];
  const input = typeof stdin === "string" ? Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]) : stdin;
  const io: Io = {
    args,
    cwd,
    env: { ...withoutColours(process.env), TERM: "xterm", HOME: emptyHome, ...env },
    stdin: Object.assign(input, { isTTY: columns !== undefined }) as Input,
    stdout: stdout.stream,
    stderr: stderr.stream,
    columns,
    signal,
  };
  return { io, output: { stdout: stdout.text, stderr: stderr.text, all: () => Buffer.concat(all).toString() } };
}

/** The environment without the variables that decide about colours. With `CI` set, Node uses none on a terminal. */
function withoutColours(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = new Set(["NO_COLOR", "FORCE_COLOR", "NODE_DISABLE_COLORS", "CI"]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** The home folder of commands: none finds the clients of the user who runs the tests. */
const emptyHome = path.join(tmpdir(), "toolpacks-no-home");

/** Creates a temporary folder with these files. */
export function folder(files: Readonly<Record<string, string>> = {}): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-")));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
  return directory;
}

function outputStream(columns: number | undefined, all: Buffer[]) {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    all.push(chunk);
  });
  const terminal = { isTTY: true, columns, getColorDepth: (env?: object) => WriteStream.prototype.getColorDepth(env) };
  return {
    stream: Object.assign(stream, columns === undefined ? {} : terminal) as Output,
    text: () => Buffer.concat(chunks).toString(),
  };
}

/** Commands that find no config file by themselves, so that `--trust` does not apply. */
const withoutTrust = new Set(
  "relay import-clients init hooks config trust tokens help version -v --version --help completion".split(" "),
);

/** Adds `--trust`, since the commands find config files that tests write. */
export function withTrust(args: readonly string[], isTrusted: boolean): readonly string[] {
  return isTrusted && !withoutTrust.has(args[0] ?? "serve") ? [...args, "--trust"] : args;
}

let last: Promise<unknown> = Promise.resolve();

/** Sets variables of this process meanwhile, for code that reads them there: one command after another. */
async function withVariables<T>(env: Readonly<Record<string, string>> = {}, work: () => Promise<T>): Promise<T> {
  if (Object.keys(env).length === 0) return work();
  const before = last;
  const done = before.then(async () => {
    const changed = Object.keys(env).map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, env);
    try {
      return await work();
    } finally {
      for (const [name, value] of changed) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
  last = done.catch(() => {});
  return done;
}
