import type { Interceptor, Store } from "@toolpacks/core";
import { createGenerationAfter } from "./generation-after.ts";
import { createHeldCalls } from "./held-calls.ts";
import { createMoments } from "./moments.ts";
import { said } from "./said.ts";
import type { TracesOptions } from "./traces-options.ts";

/** Traces of every call that passes the interceptor. */
export interface Traces {
  /** Takes note of a call, and adds nothing to the time it takes: everything else happens after its answer. */
  readonly interceptor: Interceptor;
  /** Resolves soon, when every call that has ended so far is in the store; of very many, some may still be packed. Never rejects. */
  flush(): Promise<void>;
  /** Resolves when every trace can be found, those too that a busy server has packed. Never rejects. */
  complete(): Promise<void>;
}

/** Where calls never pause, those that wait are packed when there are so many, */
const maxWaiting = 10_000;
/** or when their results are so long together. */
const maxCharacters = 16_000_000;

/** A server that ends packs more than so many first, */
const maxRecordsAtEnd = 1_000;
/** and makes traces of them for so long: the rest is for whoever comes next. */
const maxFlushMs = 1_500;

/**
 * Creates the interceptor that records calls. They are written to the workspace that each call worked in while nobody calls. A server that
 * is never left alone packs them after half a minute, which costs it little, and makes traces of them when it is, or when somebody looks for one.
 * What a process that is killed has neither written nor packed is lost.
 */
export function createTraces(store: Store, options: TracesOptions = {}): Traces {
  const generation = createGenerationAfter(store);
  const held = createHeldCalls(store, options);
  const pack = () => {
    generation.hurry();
    return held.pack();
  };
  const moments = createMoments({
    hasSome: () => held.count() > 0,
    onQuiet: (isQuiet) => held.write({ isWelcome: isQuiet, others: true }),
    onBusy: pack,
  });
  let characters = 0;
  const flush = async () => {
    generation.hurry();
    if (held.count() > maxRecordsAtEnd) await pack();
    const end = performance.now() + maxFlushMs;
    await held.write({ isWelcome: () => performance.now() < end, others: false });
    if (held.count() > 0) await pack();
  };
  store.beforeEnd(flush);
  return {
    flush,
    complete() {
      generation.hurry();
      return held.write({ others: true });
    },
    async interceptor(call, next) {
      const { tool, args, context } = call;
      const { intent } = context;
      const workspace = intent?.workspaceId ?? store.workspace;
      const began = Date.now();
      const start = moments.called();
      const outcome = await next(call);
      const ms = moments.called() - start;
      if (held.count() === 0) characters = 0;
      held.add({
        workspace,
        tool: tool.name,
        args,
        intent,
        outcome: outcome.ok ? "ok" : outcome.failure.code,
        said: said(outcome),
        began,
        ms,
        storeGeneration: generation.after(tool.mutates),
      });
      if (outcome.ok) characters += outcome.text.length;
      if (held.count() % maxWaiting === 0 || characters > maxCharacters) {
        characters = 0;
        void pack();
      }
      return outcome;
    },
  };
}
