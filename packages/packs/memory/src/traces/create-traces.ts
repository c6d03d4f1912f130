import type { Interceptor, Store } from "@toolpacks/core";
import { createWriteBehind, newRecordId, removeOld } from "@toolpacks/core/store";
import { heldBytes, holdCall } from "./held-call.ts";
import { trace } from "./trace.ts";

export interface TracesOptions {
  /** The maximum number of traces in each workspace; the oldest are removed first. Default 10,000. */
  readonly keep?: number;
  /** How long to keep traces, in days. Default 30. */
  readonly days?: number;
  /** Called when traces cannot be written, and not again until a write succeeds. Default: the error is dropped. */
  readonly onError?: (error: unknown) => void;
}

/** Records a trace of every call that passes the interceptor. */
export interface Traces {
  /** Queues each call. A trace is written after the response, to the workspace of its call. */
  readonly interceptor: Interceptor;
  /** Writes the traces of all calls that have ended, so that searches find them. Never rejects. */
  flush(): Promise<void>;
}

const loadCondenser = () => import("./condense-call.ts");

/** Creates the interceptor that records calls. Its `WriteBehind` queue says when traces are written, and what a killed process loses. */
export function createTraces(store: Store, { keep = 10_000, days = 30, onError }: TracesOptions = {}): Traces {
  const queue = createWriteBehind(store, {
    removeOld: (inside) => removeOld(inside, trace, { keep, days, time: "at" }),
    ...(onError && { onError }),
  });
  let storeWorkspace: string | undefined;
  /** Loaded at the first write. */
  let condensing: ReturnType<typeof loadCondenser> | undefined;
  return {
    flush: () => queue.flush(),
    async interceptor(call, next) {
      const { tool, args, context } = call;
      const { intent } = context;
      const workspace = intent?.workspaceId ?? (storeWorkspace ??= store.workspace);
      const began = Date.now();
      const start = performance.now();
      const outcome = await next(call);
      const ms = performance.now() - start;
      const held = await holdCall(args, intent, outcome);
      const ended = { ...held, tool: tool.name, outcome: outcome.ok ? "ok" : outcome.failure.code, began, ms };
      const id = newRecordId();
      queue.add({
        workspace,
        bytes: heldBytes(held),
        mayDrop: true,
        write: async (inside) => {
          condensing ??= loadCondenser();
          const { condenseCall } = await condensing;
          await inside.put(trace, condenseCall(ended), { id });
        },
      });
      return outcome;
    },
  };
}
