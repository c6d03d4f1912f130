import { Worker } from "node:worker_threads";
import { ToolError } from "@toolpacks/core";
import pLimit from "p-limit";
import type { Limits, ParsedCode, Slice, Task } from "./protocol.ts";

/** Maximum scripts at once. More wait. */
const inTurn = pLimit(8);
/** Time in ms that a thread has besides the time of its script, for its start and for work that cannot be interrupted. */
const graceMs = 3_000;

/** The thread of the next script. */
let idle: Thread | undefined;

const units = { memory: "bytes", stack: "bytes", time: "ms", output: "characters", calls: "calls", size: "characters" };

/** The error of a script that exceeds a limit. */
export function exceeded(limit: keyof Limits, max: number): ToolError {
  const message = `the script needs more than ${max.toLocaleString("en")} ${units[limit]} (limit: ${limit})`;
  return new ToolError("too_large", message, "Do less in one script.");
}

/**
 * Runs work with a thread of its own, which starts at the first use. One thread stays for the next script.
 *
 * @param signal ends the thread, and rejects what it is asked
 */
export function withSandbox<T>(work: (thread: Pick<Thread, "ask">) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return inTurn(async () => {
    signal?.throwIfAborted();
    const thread = idle?.isFree === true ? idle : new Thread();
    idle = undefined;
    const stop = () => thread.end(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await work(thread);
    } finally {
      signal?.removeEventListener("abort", stop);
      if (idle === undefined && thread.isFree) idle = thread;
      else thread.end();
    }
  });
}

class Thread {
  readonly #worker: Worker;
  readonly #ended = new AbortController();
  #answer: PromiseWithResolvers<ParsedCode | Slice> | undefined;
  /** Whether another script may use it: its own has ended, and it has not. */
  isFree = true;

  constructor() {
    const file = import.meta.url.endsWith(".ts") ? "../sandbox-worker.ts" : "./sandbox-worker.js";
    const resourceLimits = { maxOldGenerationSizeMb: 512, stackSizeMb: 8 };
    const options = { env: {}, stdout: true, stderr: true, resourceLimits };
    const died = () => this.end(new ToolError("unavailable", "the thread of the script ended", "Try again."));
    this.#worker = new Worker(new URL(file, import.meta.url), options)
      .on("message", (answer: ParsedCode | Slice) => this.#answer?.resolve(answer))
      .on("error", died)
      .on("exit", died);
    this.#worker.unref();
  }

  /** @param maxMs the time of the task. Beyond it and a grace period, the thread is ended. @throws ToolError */
  async ask<Answer extends ParsedCode | Slice>(task: Task, maxMs: number): Promise<Answer> {
    this.#ended.signal.throwIfAborted();
    this.isFree = false;
    this.#answer = Promise.withResolvers();
    // Some work of the engine cannot be interrupted from inside.
    const timer = setTimeout(() => this.end(exceeded("time", maxMs)), maxMs + graceMs);
    this.#worker.ref();
    this.#worker.postMessage(task);
    try {
      const answer = await this.#answer.promise;
      this.isFree = !("requests" in answer) || answer.end !== undefined;
      return answer as Answer;
    } finally {
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  /** @param reason rejects what it is asked */
  end(reason?: unknown): void {
    this.isFree = false;
    this.#ended.abort(reason);
    this.#answer?.reject(reason);
    void this.#worker.terminate();
  }
}
