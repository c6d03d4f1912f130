import type { Interceptor, Store } from "@toolpacks/core";
import type { EndedCall } from "./condense-call.ts";
import { createGenerationAfter } from "./generation-after.ts";

export interface TracesOptions {
  /** Whose traces of each workspace are kept. Default 10,000; the oldest go first. */
  readonly keep?: number;
  /** How long a trace is kept. Default 30. */
  readonly days?: number;
  /** Told once when traces cannot be written. Default: nobody is. */
  readonly onError?: (error: unknown) => void;
}

/** Traces of every call that passes the interceptor. */
export interface Traces {
  /** Takes note of a call, and adds nothing to the time it takes: everything else happens after its answer. */
  readonly interceptor: Interceptor;
  /** Resolves when every call that has ended so far is in the store. Never rejects. */
  flush(): Promise<void>;
}

/** Traces are written once nothing was called for so long, */
const quietMs = 250;
/** and at the latest so long after the first of them, */
const latestMs = 5_000;
/** or when so many wait. */
const mostWaiting = 2_000;
/** or when their results are so long together. */
const mostCharacters = 4_000_000;
/** While the store cannot be written, this many are kept for a next try; the oldest go first. */
const mostHeld = 5_000;

/**
 * Creates the interceptor that records calls. They are written to the workspace that each call worked in, several at once, while no call is
 * running; what a process that is killed has not written is lost.
 */
export function createTraces(store: Store, options: TracesOptions = {}): Traces {
  let waiting: EndedCall[] = [];
  let waitingCharacters = 0;
  let firstAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;

  const write = async () => {
    const { writeTraces } = await import("./write-traces.ts");
    const batch = waiting;
    waiting = [];
    waitingCharacters = 0;
    if (batch.length === 0) return;
    try {
      await writeTraces(store, batch, options);
      hasFailed = false;
    } catch (error) {
      waiting = [...batch, ...waiting].slice(-mostHeld);
      if (!hasFailed) options.onError?.(error);
      hasFailed = true;
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  const schedule = () => {
    const now = performance.now();
    if (waiting.length === 1) firstAt = now;
    if (waiting.length % mostWaiting === 0 || waitingCharacters > mostCharacters) void flush();
    else if (timer === undefined) timer = setTimeout(onQuiet, quietMs).unref();
  };
  let lastAt = 0;
  /** Calls only note the time, since setting a timer anew for each would cost more than all the rest. */
  const onQuiet = () => {
    timer = undefined;
    const now = performance.now();
    const quietIn = lastAt + quietMs - now;
    if (quietIn > 1 && now - firstAt < latestMs) timer = setTimeout(onQuiet, quietIn).unref();
    else void flush();
  };

  const generationAfter = createGenerationAfter(store);
  return {
    flush,
    async interceptor(call, next) {
      const workspace = call.context.intent?.workspaceId ?? store.workspace;
      const began = Date.now();
      const start = performance.now();
      const outcome = await next(call);
      lastAt = performance.now();
      const storeGeneration = generationAfter(lastAt, call.tool.mutates);
      if (outcome.ok) waitingCharacters += outcome.text.length;
      waiting.push({ workspace, call, outcome, began, ms: lastAt - start, storeGeneration });
      schedule();
      return outcome;
    },
  };
}
