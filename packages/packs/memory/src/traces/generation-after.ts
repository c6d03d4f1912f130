import type { Store } from "@toolpacks/core";

/**
 * Calls that end within so long of one another are told one generation, since asking for each would cost more than all the rest. One that
 * changed something wants to know soon.
 */
const togetherMs = { mutates: 100, reads: 1_000 };

/** Tells the store's generation by the time that calls have ended, or soon after. */
export interface GenerationAfter {
  /** For a call that has just ended. Undefined where the store cannot be asked. */
  after(mutates: boolean): Promise<number | undefined>;
  /** Asks now, for whoever waits for it. */
  hurry(): void;
}

export function createGenerationAfter(store: Store): GenerationAfter {
  let next: PromiseWithResolvers<number | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isSoon = false;
  const ask = () => {
    clearTimeout(timer);
    next?.resolve(store.generation().catch(() => undefined));
    next = undefined;
  };
  return {
    after(mutates) {
      if (next === undefined || (mutates && !isSoon)) {
        next ??= Promise.withResolvers();
        clearTimeout(timer);
        timer = setTimeout(ask, mutates ? togetherMs.mutates : togetherMs.reads).unref();
        isSoon = mutates;
      }
      return next.promise;
    },
    hurry: ask,
  };
}
