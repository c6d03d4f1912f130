import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ToolError } from "@toolpacks/core";
import type { ParserReply, ParserStart, ParserTask } from "./parser-task.ts";

/** What became of a source: what was found in it, or why it was skipped. */
export type Parsed = ParserReply | { readonly kind: "skipped"; readonly reason: string };

/** The time that one source may take, in ms. */
const maxTaskMs = 10_000;
/** The time that the process may take to start, in ms. */
const maxStartMs = 20_000;
/** The process ends when it has had no task for so long, in ms. */
const maxIdleMs = 30_000;
/** JavaScript memory of the process in MiB. Its native memory is bounded by the process itself. */
const maxHeapMegabytes = 512;

let tail: Promise<unknown> = Promise.resolve();
let running: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Parses a source in a process of its own, which is started at the first task and shared by all, one task after the other. Where the
 * parser takes too much time or memory, or crashes, the process is ended, and the source is skipped.
 *
 * @throws ToolError `unavailable` where the process cannot start; the signal's reason when that is aborted
 */
export function parseSource(task: ParserTask, signal: AbortSignal): Promise<Parsed> {
  return inTurn((child) => runTask(child, task, signal), signal);
}

/** Starts the process unless it runs, so that a search without sources says, too, where there are no parsers. */
export function startParser(signal: AbortSignal): Promise<void> {
  return inTurn(async () => {}, signal);
}

function inTurn<T>(use: (child: ChildProcess) => Promise<T>, signal: AbortSignal): Promise<T> {
  const turn = tail.then(async () => {
    signal.throwIfAborted();
    clearTimeout(idle);
    try {
      return await use(running ?? (await start()));
    } finally {
      idle = setTimeout(stop, maxIdleMs).unref();
    }
  });
  tail = turn.catch(() => {});
  return rejectOnAbort(turn, signal);
}

async function start(): Promise<ChildProcess> {
  const isSource = import.meta.url.endsWith(".ts");
  const entry = fileURLToPath(new URL(isSource ? "./parser-child.ts" : "./parser-child.js", import.meta.url));
  // Nothing of the server's environment or options: the process handles hostile files.
  const child = fork(entry, [], {
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
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
    letServerEnd(child);
    return child;
  }
  stop();
  throw first.kind === "message"
    ? new ToolError(
        "unavailable",
        "the parsers are not installed where this server runs",
        "Whoever runs the server can install them beside the server: npm install @ast-grep/napi and @ast-grep/lang-*.",
      )
    : new ToolError("unavailable", `the process that parses sources did not start (${first.kind})`, "Try again.");
}

/** The server need not wait for a process that has nothing to do. */
function letServerEnd(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** Ends the process. The next task starts another. */
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
  letServerEnd(child);
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

/** The next message of a process, or how the wait for one ended. */
function nextMessage<Message>(child: ChildProcess, signal: AbortSignal): Promise<Ended<Message>> {
  return new Promise((resolve) => {
    const end = (ended: Ended<Message>) => {
      child.off("message", onMessage).off("exit", onExit).off("error", onError);
      signal.removeEventListener("abort", onAbort);
      resolve(ended);
    };
    const onMessage = (message: unknown) => end({ kind: "message", message: message as Message });
    const onExit = (_code: number | null, by: NodeJS.Signals | null) => end({ kind: "exit", signal: by });
    const onError = () => end({ kind: "exit", signal: null });
    const onAbort = () => end({ kind: "timeout" });
    child.on("message", onMessage).on("exit", onExit).on("error", onError);
    signal.addEventListener("abort", onAbort);
    if (child.exitCode !== null || child.signalCode !== null) end({ kind: "exit", signal: child.signalCode });
    else if (signal.aborted) onAbort();
  });
}

/** Does not wait for the tasks of others once the caller is gone. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
