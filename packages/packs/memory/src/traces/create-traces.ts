import type { Interceptor, Store } from "@toolpacks/core";
import { createGenerationSampler } from "./generation-sampler.ts";
import { createTraceQueue } from "./trace-queue.ts";
import { heldLength, holdCall } from "./held-call.ts";
import { createIdleDetector } from "./idle-detector.ts";
import type { TracesOptions } from "./traces-options.ts";

/** Records a trace of every call that passes the interceptor. */
export interface Traces {
  /** Queues each call. It adds no time to the call: traces are written after the response. */
  readonly interceptor: Interceptor;
  /** Writes every ended call to the store, within `maxFlushMs`. Some may stay packed as batches. Never rejects. */
  flush(): Promise<void>;
  /** Writes every ended call as a trace, and unpacks all batches. Then searches find every trace. Never rejects. */
  complete(): Promise<void>;
}

/** Number of queued calls after which the queue is packed. */
const maxQueued = 10_000;
/** Number of characters in the queue after which it is packed. */
const maxCharacters = 16_000_000;

/** Number of queued calls above which `flush` packs them first. */
const maxRecordsAtEnd = 1_000;
/** Maximum time that `flush` writes traces, in ms. The rest stays packed for the next process. */
const maxFlushMs = 1_500;

/**
 * Creates the interceptor that records calls. Each trace is written to the workspace of its call, when the server is idle.
 *
 * A server that is never idle packs the queued calls into batches every half minute. The batches are unpacked into traces when the server is idle, or
 * when a tool searches traces. Calls that are neither written nor packed are lost if the process is killed.
 */
export function createTraces(store: Store, options: TracesOptions = {}): Traces {
  const generation = createGenerationSampler(store);
  const queue = createTraceQueue(store, options);
  const pack = () => {
    generation.flushNow();
    return queue.pack();
  };
  let hasEnded = false;
  const idleDetector = createIdleDetector({
    hasPending: () => queue.count() > 0,
    onIdle: async (isIdle) => {
      if (!hasEnded) await queue.write({ shouldContinue: isIdle, includeOtherProcesses: true });
    },
    onBusy: pack,
  });
  let characters = 0;
  const flush = async () => {
    generation.flushNow();
    if (queue.count() > maxRecordsAtEnd) await pack();
    const end = performance.now() + maxFlushMs;
    await queue.write({ shouldContinue: () => performance.now() < end, includeOtherProcesses: false });
    if (queue.count() > 0) await pack();
  };
  store.beforeEnd(() => {
    hasEnded = true;
    return flush();
  });
  return {
    flush,
    complete() {
      generation.flushNow();
      return queue.write({ includeOtherProcesses: true });
    },
    async interceptor(call, next) {
      const { tool, args, context } = call;
      const { intent } = context;
      const workspace = intent?.workspaceId ?? store.workspace;
      const began = Date.now();
      const start = idleDetector.recordCall();
      const outcome = await next(call);
      const ms = idleDetector.recordCall() - start;
      const storeGeneration = generation.sample(tool.mutates);
      const held = await holdCall(args, intent, outcome);
      if (queue.count() === 0) characters = 0;
      const code = outcome.ok ? "ok" : outcome.failure.code;
      queue.add({ ...held, workspace, tool: tool.name, outcome: code, began, ms, storeGeneration });
      characters += heldLength(held);
      if (queue.count() % maxQueued === 0 || characters > maxCharacters) {
        characters = 0;
        void pack();
      }
      return outcome;
    },
  };
}
