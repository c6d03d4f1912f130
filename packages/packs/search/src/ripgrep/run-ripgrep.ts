import { spawn } from "node:child_process";
import { once } from "node:events";
import { ToolError } from "@toolpacks/core";
import { ripgrepError } from "./ripgrep-error.ts";
import type { RuleFile } from "./rule-file.ts";

export interface RipgrepRun {
  readonly args: readonly string[];
  /** The working directory. A path through a descriptor cannot be redirected. */
  readonly cwd: string;
  /** The descriptor of a file to read as standard input. */
  readonly input?: number | undefined;
  /** The file with the globs' rules, see `globRules`. */
  readonly globRules?: RuleFile | undefined;
  readonly signal: AbortSignal;
}

const maxErrorBytes = 64 * 1024;

/** The descriptor of the file with the globs in ripgrep. */
const globsDescriptor = 3;

/** Maximum memory of ripgrep in KiB, where the system can limit it. It reads an ignore file that is a link to an endless device. */
const maxMemoryKib = 1024 * 1024;

/** The shell gets the arguments as they are, and parses none. */
const limitMemory = ["/bin/sh", "-c", `ulimit -d ${maxMemoryKib} 2>/dev/null; exec "$0" "$@"`] as const;

/**
 * Yields ripgrep's output as a stream with backpressure: a reader that pauses also pauses ripgrep. Leaving the loop kills the process.
 *
 * @throws ToolError `invalid_input` for a pattern, glob or type that ripgrep rejects; `unavailable` if it cannot run, or ends before the search is complete
 */
export async function* runRipgrep(run: RipgrepRun): AsyncGenerator<Buffer> {
  const { args, cwd, input, globRules, signal } = run;
  if (args.some((arg) => arg.includes("\0"))) {
    throw new ToolError("invalid_input", "expected no NUL in what is searched; binary files are passed over");
  }
  const ripgrep = await ripgrepPath();
  // No `await` between this check and the listener, otherwise an abort in between is missed.
  signal.throwIfAborted();
  const rules = globRules === undefined ? [] : [`--ignore-file=${globRules.path ?? `/dev/fd/${globsDescriptor}`}`];
  // Messages about ignore rules could quote a file that an ignore file links to.
  const options = ["--no-config", "--no-ignore-messages", "--path-separator=/"];
  const [program, ...first] = process.platform === "win32" ? [ripgrep] : [...limitMemory, ripgrep];
  // No configuration file, nothing of the server's environment.
  const child = spawn(program, [...first, ...options, ...rules, ...args], {
    cwd,
    env: {},
    stdio: [input ?? "ignore", "pipe", "pipe", globRules?.fd ?? "ignore"],
    windowsHide: true,
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("ripgrep was started without pipes");
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  let errorText = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    if (errorText.length < maxErrorBytes) errorText += text;
  });
  const closed = once(child, "close").then(
    ([code, killedBy]) => ({ code: code as number | null, killedBy: killedBy as NodeJS.Signals | null }),
    (error: unknown) => ({ error }),
  );
  try {
    for await (const chunk of stdout) yield chunk as Buffer;
    const ended = await closed;
    signal.throwIfAborted();
    if ("error" in ended) throw new ToolError("unavailable", `ripgrep did not start: ${String(ended.error)}`);
    const refusal = ripgrepError({ errorText, ...ended });
    if (refusal !== undefined) throw refusal;
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await closed;
  }
}

/** The path of the ripgrep binary, which a package for each platform contains. */
async function ripgrepPath(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (cause) {
    const missing = new ToolError(
      "unavailable",
      "ripgrep is not installed where this server runs",
      "The user can install it with the server: npm install @vscode/ripgrep.",
    );
    throw Object.assign(missing, { cause });
  }
}
