import type { Store } from "@toolpacks/core";

/** Delay before a sample, in ms. Calls that end within it share the sample. It is shorter after a call that mutates. */
const sampleDelayMs = { mutates: 250, reads: 1_000 };

/** Reads the store's generation shortly after calls end, once for several calls. */
export interface GenerationSampler {
  /** The generation for a call that has just ended; undefined if the store cannot be read. */
  sample(mutates: boolean): Promise<number | undefined>;
  /** Reads the generation now instead of after the delay. */
  flushNow(): void;
}

export function createGenerationSampler(store: Store): GenerationSampler {
  let next: PromiseWithResolvers<number | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSoon = false;
  const ask = () => {
    clearTimeout(timer);
    next?.resolve(store.generation().catch(() => undefined));
    next = undefined;
  };
  return {
    sample(mutates) {
      if (next === undefined || (mutates && !isSoon)) {
        next ??= Promise.withResolvers();
        clearTimeout(timer);
        timer = setTimeout(ask, mutates ? sampleDelayMs.mutates : sampleDelayMs.reads).unref();
        isSoon = mutates;
      }
      return next.promise;
    },
    flushNow: ask,
  };
}
