import type { Store } from "@toolpacks/core";

/** Calls that end within so long of one another are told one generation: asking for each would cost more than all the rest. */
const togetherMs = 100;

/** Tells the store's generation by the time that calls have ended, or soon after. */
export interface GenerationAfter {
  /** For a call that has just ended. Undefined where the store cannot be asked. */
  after(): Promise<number | undefined>;
  /** Asks now, for whoever waits for it. */
  hurry(): void;
}

export function createGenerationAfter(store: Store): GenerationAfter {
  let next: { readonly told: Promise<number | undefined>; readonly ask: () => void } | undefined;
  const plan = () => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const timer = setTimeout(ask, togetherMs).unref();
    function ask(): void {
      clearTimeout(timer);
      next = undefined;
      resolve(store.generation().catch(() => undefined));
    }
    return { told: promise, ask };
  };
  return {
    after: () => (next ??= plan()).told,
    hurry: () => next?.ask(),
  };
}
