import { spawn } from "node:child_process";
import { once } from "node:events";
import { ToolError } from "@toolpacks/core";
import { ripgrepPath } from "./ripgrep-path.ts";
import { ripgrepError } from "./ripgrep-error.ts";

/** One run of ripgrep. */
export interface RipgrepRun {
  readonly args: readonly string[];
  /** The directory in which it runs. A path through a descriptor stays where the descriptor leads. */
  readonly cwd: string;
  /** The descriptor of a file to read as standard input. */
  readonly input?: number | undefined;
  /** The descriptor of a file of rules that leave out what the globs do not match, see `globRules`. */
  readonly globRules?: number | undefined;
  /** The descriptor of a file of the rules of the tree's ignore files, see `ignoreRules`. */
  readonly ignoreRules?: number | undefined;
  /** Kills it. */
  readonly signal: AbortSignal;
}

const maxErrorBytes = 64 * 1024;

/** Of two files of rules, the later one decides. */
const globRulesArgument = "--ignore-file=/dev/fd/3";
const ignoreRulesArgument = "--ignore-file=/dev/fd/4";

/**
 * Yields what ripgrep writes, as it writes it, and no sooner than it is asked for: a reader that stops reading stops
 * ripgrep, and one that leaves the loop ends it.
 *
 * @throws ToolError `invalid_input` for a pattern, glob or type that ripgrep refuses; `unavailable` when it cannot run or ends before its search does
 */
export async function* runRipgrep(run: RipgrepRun): AsyncGenerator<Buffer> {
  const { args, cwd, input, globRules, ignoreRules, signal } = run;
  if (args.some((arg) => arg.includes("\0"))) {
    throw new ToolError("invalid_input", "expected no NUL in what is searched; binary files are passed over");
  }
  const ripgrep = await ripgrepPath();
  // Nothing is waited for between this and the listener, or an end in between would be missed.
  signal.throwIfAborted();
  // No shell, no configuration file, nothing of the server's environment.
  const rules = [
    ...(globRules === undefined ? [] : [globRulesArgument]),
    ...(ignoreRules === undefined ? [] : [ignoreRulesArgument]),
  ];
  // ripgrep would open an ignore file through a link, and wait for a FIFO.
  const child = spawn(ripgrep, ["--no-config", "--no-ignore", ...rules, ...args], {
    cwd,
    env: {},
    stdio: [input ?? "ignore", "pipe", "pipe", globRules ?? "ignore", ignoreRules ?? "ignore"],
    windowsHide: true,
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("ripgrep was started without pipes");
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < maxErrorBytes) said += text;
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
    const prefix = "--regexp=";
    const pattern = args.find((arg) => arg.startsWith(prefix))?.slice(prefix.length);
    const refusal = ripgrepError({ said, ...ended, pattern });
    if (refusal !== undefined) throw refusal;
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await closed;
  }
}
