import { coreFacet, type CallEnd, type CallObserver, type ObservedCall, type Store } from "@toolpacks/core";
import { createWriteBehind, newRecordId, removeOld } from "@toolpacks/store";
import type * as condensing from "./condense-call.ts";
import { trace } from "./trace.ts";

export interface TracesOptions {
  /** The maximum number of traces in each workspace; the oldest are removed first. Default 10,000. */
  readonly keep?: number;
  /** How long to keep traces, in days. Default 30. */
  readonly days?: number;
  /** Called when traces cannot be written, and not again until a write succeeds. Default: the error is dropped. */
  readonly onError?: (error: unknown) => void;
}

/** Records a trace of every call that passes the observer. */
export interface Traces {
  /** Queues each call, also a refused one. A trace is written after the response, to the workspace of its call. */
  readonly observer: CallObserver;
  /** Writes the traces of all calls that have ended, so that searches find them. Never rejects. */
  flush(): Promise<void>;
}

/** Memory for what the queue keeps of a call besides its text. */
const entryBytes = 500;

/** Creates the observer that records calls. Its `WriteBehind` queue says when traces are written, and what a killed process loses. */
export function createTraces(store: Store, { keep = 10_000, days = 30, onError }: TracesOptions = {}): Traces {
  const queue = createWriteBehind(store, {
    removeOld: (inside) => removeOld(inside, trace, { keep, days, time: "at" }),
    onError,
  });
  let loading: Promise<typeof condensing> | undefined;
  const record = async (call: ObservedCall, end: CallEnd, time: { began: number; ms: number }) => {
    loading ??= import("./condense-call.ts");
    const { condenseCall } = await loading;
    // A part of a text would keep the whole text in memory; its JSON is a text of its own.
    const json = JSON.stringify(condenseCall(call, end, time));
    // Chosen once, so that a retry writes the same record.
    const id = newRecordId();
    queue.add({
      workspace: call.context.intent?.workspaceId ?? store.workspace,
      bytes: entryBytes + 2 * json.length,
      write: (inside) => inside.put(trace, JSON.parse(json), { id }),
    });
  };
  return {
    flush: () => queue.flush(),
    async observer(call, run) {
      const began = Date.now();
      const start = performance.now();
      const end = await run(call.context);
      const ms = performance.now() - start;
      // The call has ended, so its outcome is returned in any case.
      if (isRecorded(end)) await record(call, end, { began, ms }).catch((error: unknown) => onError?.(error));
      return end;
    },
  };
}

/** Whether a call has a trace. The tools that call tools have none, since the calls that they make have. */
function isRecorded({ entry, outcome }: CallEnd): boolean {
  return entry?.facet !== coreFacet || (!outcome.ok && outcome.isRefused === true);
}
