import { Worker } from "node:worker_threads";
import { ToolError } from "@toolpacks/core";
import pLimit from "p-limit";
import type { Answer, ParsedCode, ScriptLimits, Slice, Task } from "./protocol.ts";

/** Limits of every script. The others are limits of the run. */
export const scriptLimits: Omit<ScriptLimits, "calls" | "time"> = {
  output: 100_000,
  size: 16_000_000,
};

/** Maximum scripts at once. More wait. */
const maxThreads = 8;
/** Time in ms that a thread has besides the time of its script, for its start and for work that cannot be interrupted. */
const graceMs = 3_000;

const inTurn = pLimit(maxThreads);
const parseInTurn = pLimit(2);
let idle: Thread | undefined;

/** A thread that answers each task with one message. */
interface Thread {
  /** @param maxMs the time of the task. Beyond it and a grace period, the thread is ended. */
  ask(task: Task, maxMs: number, signal?: AbortSignal): Promise<Answer>;
  /** Ends the script. The thread stays if it is free and no other one is. */
  release(): void;
}

/** A script that runs. */
export type Sandbox = Pick<Thread, "ask">;

/**
 * Runs work with a thread of its own, which starts at the first use. One thread stays for the next script.
 *
 * @throws ToolError `unavailable` if the thread cannot start
 */
export function withSandbox<T>(work: (sandbox: Sandbox) => Promise<T>, turn = inTurn): Promise<T> {
  return turn(async () => {
    const thread = idle ?? startThread();
    idle = undefined;
    try {
      return await work(thread);
    } finally {
      thread.release();
    }
  });
}

/** Finds the uses of tools in a script, and what is wrong with it. It does not wait for scripts that run. */
export function parseCode(code: string): Promise<ParsedCode> {
  return withSandbox(async ({ ask }) => (await ask({ kind: "parse", code }, 0)) as ParsedCode, parseInTurn);
}

function startThread(): Thread {
  const file = import.meta.url.endsWith(".ts") ? "../sandbox-worker.ts" : "./sandbox-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512, stackSizeMb: 8 },
  });
  worker.unref();
  let waiting: { resolve: (answer: Answer) => void; reject: (error: unknown) => void } | undefined;
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    if (idle === thread) idle = undefined;
    waiting?.reject(new ToolError("unavailable", "the thread of the script ended", "Try again."));
  };
  worker.on("message", (answer: Answer) => waiting?.resolve(answer));
  worker.on("error", end);
  worker.on("exit", end);
  const thread: Thread = {
    async ask(task, maxMs, signal) {
      if (hasEnded) throw new ToolError("unavailable", "the thread of the script ended", "Try again.");
      worker.ref();
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting = { resolve, reject };
      // Some work of the engine cannot be interrupted from inside.
      const overdue = () => {
        hasEnded = true;
        resolve({ requests: [], printed: "", end: { kind: "limit", limit: "time" } } satisfies Slice);
        void worker.terminate();
      };
      const timer = setTimeout(overdue, maxMs + graceMs);
      const stop = () => {
        hasEnded = true;
        reject(signal?.reason);
        void worker.terminate();
      };
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", stop, { once: true });
      worker.postMessage(task);
      try {
        return await promise;
      } finally {
        waiting = undefined;
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
        worker.unref();
      }
    },
    release() {
      if (idle !== undefined || hasEnded) void worker.terminate();
      else {
        worker.postMessage({ kind: "end" } satisfies Task);
        idle = thread;
      }
    },
  };
  return thread;
}
