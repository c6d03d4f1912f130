import type { Store } from "@toolpacks/core";
import type { EndedCall } from "./condense-call.ts";
import type { TracesOptions } from "./traces-options.ts";

/** Calls that are not in the store yet. */
export interface HeldCalls {
  add(call: EndedCall): void;
  count(): number;
  /** Resolves when those so far are traces, as far as it was welcome. Never rejects. */
  write(how: WriteHow): Promise<void>;
  /** Resolves when those so far are in the store, where they wait to become traces. Never rejects. */
  pack(): Promise<void>;
}

export interface WriteHow {
  /** Asked now and then; once it is false, the rest waits. Default: it is always. */
  readonly isWelcome?: () => boolean;
  /** Whether what other processes packed is to be found too. */
  readonly others: boolean;
}

/** While the store cannot be written, this many are kept for a next try; the oldest go first. */
const maxQueued = 20_000;

/** Everything is written by one after the other. */
export function createHeldCalls(store: Store, options: TracesOptions): HeldCalls {
  let held: EndedCall[] = [];
  let hasPacked = false;
  let hasFailed = false;
  let last: Promise<void> = Promise.resolve();

  const attempt = async (work: (batch: readonly EndedCall[]) => Promise<readonly EndedCall[]>) => {
    const batch = held;
    held = [];
    try {
      held.unshift(...(await work(batch)));
      hasFailed = false;
    } catch (error) {
      held = [...batch, ...held].slice(-maxQueued);
      if (!hasFailed) options.onError?.(error);
      hasFailed = true;
    }
  };
  const next = (work: Parameters<typeof attempt>[0]) => {
    last = last.then(() => attempt(work));
    return last;
  };
  return {
    add: (call) => void held.push(call),
    count: () => held.length,
    async write({ isWelcome = () => true, others }) {
      if (held.length === 0 && !others && !hasPacked) return last;
      return next(async (batch) => {
        const { unpackTraces, writeTraces } = await import("./write-traces.ts");
        const left = await writeTraces(store, batch, { ...options, isWelcome });
        if (others || hasPacked) hasPacked = await unpackTraces(store, { ...options, isWelcome });
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
