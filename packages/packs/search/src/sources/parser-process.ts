import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ToolError, untilAborted } from "@toolpacks/core";
import type { ParserReply, ParserStart, ParserTask } from "./parser-task.ts";

/** The result for a source: the matches, or the reason why it was skipped. */
export type Parsed = ParserReply | { readonly kind: "skipped"; readonly reason: string };

/** Timeout for one source, in ms. */
const maxTaskMs = 10_000;
/** Timeout for the start of the process, in ms. */
const maxStartMs = 20_000;
/** Idle time after which the process is stopped, in ms. */
const maxIdleMs = 30_000;
/** Maximum JavaScript heap of the process, in MiB. The process itself limits its native memory. */
const maxHeapMegabytes = 512;

let tail: Promise<unknown> = Promise.resolve();
let running: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Parses a source in a child process. The first task starts the process. All searches share it, and it runs one task at a time. If the parser needs too
 * much time or memory, or crashes, the process is killed, and the source is skipped.
 *
 * @throws ToolError `unavailable` if the process cannot start; the signal's reason if it is aborted
 */
export function parseSource(task: ParserTask, signal: AbortSignal): Promise<Parsed> {
  const turn = tail.then(async () => {
    signal.throwIfAborted();
    clearTimeout(idle);
    try {
      return await runTask(running ?? (await start()), task, signal);
    } finally {
      idle = setTimeout(stop, maxIdleMs).unref();
    }
  });
  tail = turn.catch(() => {});
  // Also while the tasks of others run.
  return untilAborted(signal, turn);
}

async function start(): Promise<ChildProcess> {
  const isSource = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(isSource ? "./parser-child.ts" : "./parser-child.js", import.meta.url));
  // No environment or options of the server, because the process handles hostile files.
  const child = fork(entry, [], {
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`, ...(isSource ? ["--conditions=@toolpacks/source"] : [])],
    env: {},
    cwd: "/",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  running = child;
  child.on("error", () => {});
  child.on("exit", () => {
    if (running === child) running = undefined;
  });
  const first = await nextMessage<ParserStart>(child, AbortSignal.timeout(maxStartMs));
  if (first.kind === "message" && first.message.kind === "ready") {
    unrefChild(child);
    return child;
  }
  stop();
  throw first.kind === "message"
    ? new ToolError(
        "unavailable",
        "the files of the parsers are missing or cannot be read",
        "The user can install the package again. Its folder dist has them (*.wasm).",
      )
    : new ToolError("unavailable", `the process that parses sources did not start (${first.kind})`, "Try again.");
}

/** Lets the server exit while the process is idle. */
function unrefChild(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** Kills the process. The next task starts another one. */
function stop(): void {
  running?.kill("SIGKILL");
  running = undefined;
}

async function runTask(child: ChildProcess, task: ParserTask, signal: AbortSignal): Promise<Parsed> {
  const timeout = AbortSignal.timeout(maxTaskMs);
  child.ref();
  child.channel?.ref();
  const reply = nextMessage<ParserReply>(child, AbortSignal.any([signal, timeout]));
  child.send(task, () => {});
  const ended = await reply;
  unrefChild(child);
  if (ended.kind === "message") {
    if (ended.message.kind === "found" && ended.message.isLarge) stop();
    return ended.message;
  }
  stop();
  signal.throwIfAborted();
  return { kind: "skipped", reason: skipReason(ended) };
}

type Ended<Message> =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "timeout" }
  | { readonly kind: "exit"; readonly signal: NodeJS.Signals | null };

function skipReason(ended: Exclude<Ended<never>, { kind: "message" }>): string {
  if (ended.kind === "timeout") return `parsing it took more than ${maxTaskMs / 1000} s`;
  return ended.signal === "SIGKILL" || ended.signal === "SIGABRT"
    ? "parsing it took too much memory"
    : "the parser crashed on it";
}

/** Waits for the next message of a process, its exit, or the signal. */
async function nextMessage<Message>(child: ChildProcess, signal: AbortSignal): Promise<Ended<Message>> {
  if (child.exitCode !== null || child.signalCode !== null) return { kind: "exit", signal: child.signalCode };
  const settled = new AbortController();
  const options = { signal: AbortSignal.any([signal, settled.signal]) };
  try {
    return await Promise.race([
      once(child, "message", options).then(([message]) => ({ kind: "message" as const, message: message as Message })),
      once(child, "exit", options).then(([, by]) => ({ kind: "exit" as const, signal: by as NodeJS.Signals | null })),
    ]);
  } catch {
    return signal.aborted ? { kind: "timeout" } : { kind: "exit", signal: null };
  } finally {
    settled.abort();
  }
}
