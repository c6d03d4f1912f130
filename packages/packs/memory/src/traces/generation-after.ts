import type { Store } from "@toolpacks/core";

/** Calls that change nothing and end within so long of one another are told one generation: asking for each would cost more than all the rest. */
const sameGenerationMs = 100;

/** Tells the store's generation after calls that end at a time, once their answers are out. Undefined where the store cannot be asked. */
export function createGenerationAfter(store: Store): (at: number, mutates: boolean) => Promise<number | undefined> {
  let known: { readonly at: number; readonly generation: Promise<number | undefined> } | undefined;
  return (at, mutates) => {
    if (known === undefined || mutates || at - known.at > sameGenerationMs) {
      known = { at, generation: generationOf(store) };
    }
    return known.generation;
  };
}

async function generationOf(store: Store): Promise<number | undefined> {
  await new Promise(setImmediate);
  return store.generation().catch(() => undefined);
}
