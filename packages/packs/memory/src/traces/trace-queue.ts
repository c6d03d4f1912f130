import type { Store } from "@toolpacks/core";
import type { EndedCall } from "./condense-call.ts";
import type { TracesOptions } from "./traces-options.ts";

/** A queue of ended calls that are not in the store yet. */
export interface TraceQueue {
  add(call: EndedCall): void;
  count(): number;
  /** Writes the queued calls as traces, until `shouldContinue` is false. Never rejects. */
  write(how: WriteOptions): Promise<void>;
  /** Writes the queued calls to the store as batches, which are unpacked into traces later. Never rejects. */
  pack(): Promise<void>;
}

export interface WriteOptions {
  /** Called between batches. Once it returns false, the rest stays queued. Default: always true. */
  readonly shouldContinue?: () => boolean;
  /** Whether to unpack the batches of other processes too. */
  readonly includeOtherProcesses: boolean;
}

/** Maximum number of calls to keep while the store cannot be written. The oldest are dropped first. */
const maxQueued = 20_000;

/** Creates a queue. Its writes run one after the other. */
export function createTraceQueue(store: Store, options: TracesOptions): TraceQueue {
  let pending: EndedCall[] = [];
  let hasPacked = false;
  let hasFailed = false;
  let last: Promise<void> = Promise.resolve();

  const attempt = async (work: (batch: readonly EndedCall[]) => Promise<readonly EndedCall[]>) => {
    const batch = pending;
    pending = [];
    try {
      pending.unshift(...(await work(batch)));
      hasFailed = false;
    } catch (error) {
      pending = [...batch, ...pending].slice(-maxQueued);
      if (!hasFailed) options.onError?.(error);
      hasFailed = true;
    }
  };
  const next = (work: Parameters<typeof attempt>[0]) => {
    last = last.then(() => attempt(work));
    return last;
  };
  return {
    add: (call) => void pending.push(call),
    count: () => pending.length,
    async write({ shouldContinue = () => true, includeOtherProcesses }) {
      if (pending.length === 0 && !includeOtherProcesses && !hasPacked) return last;
      return next(async (batch) => {
        const { unpackTraces, writeTraces } = await import("./write-traces.ts");
        const left = await writeTraces(store, batch, { ...options, shouldContinue });
        if (includeOtherProcesses || hasPacked) hasPacked = await unpackTraces(store, { ...options, shouldContinue });
        return left;
      });
    },
    pack: () =>
      next(async (batch) => {
        const { packTraces } = await import("./write-traces.ts");
        hasPacked = true;
        await packTraces(store, batch, options);
        return [];
      }),
  };
}
