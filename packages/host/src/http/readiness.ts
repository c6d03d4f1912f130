import { errorText, type PackLog, type Store, withTimeout } from "@toolpacks/core";

/** Whether requests can be served. */
export interface Readiness {
  /** Undefined: ready. Otherwise the reason, without addresses. */
  problem(): Promise<string | undefined>;
}

/** Maximum time for the store's answer, in ms. */
const timeoutMs = 2_000;
/** Time for which an answer is reused, so that probes cannot load the store, in ms. */
const maxAgeMs = 1_000;

const unreachable = "the store cannot be reached";

/** Asks the store for its generation: that works once the store is reachable and its tables have their current form. */
export function storeReadiness(store: () => Pick<Store, "generation">, log: PackLog): Readiness {
  let last: { readonly askedAt: number; readonly problem: Promise<string | undefined> } | undefined;
  let wasReady = true;
  const ask = async () => {
    const onTimeout = () => {
      throw new Error(`no answer in ${timeoutMs / 1_000} s`);
    };
    const error: unknown = await withTimeout(store().generation(), { ms: timeoutMs, onTimeout }).then(
      () => undefined,
      (reason: unknown) => reason ?? unreachable,
    );
    if (error !== undefined && wasReady) log.warn(`not ready: ${unreachable}: ${errorText(error)}`);
    if (error === undefined && !wasReady) log.info("ready: the store can be reached again");
    wasReady = error === undefined;
    return wasReady ? undefined : unreachable;
  };
  return {
    problem() {
      const now = performance.now();
      if (last === undefined || now - last.askedAt > maxAgeMs) last = { askedAt: now, problem: ask() };
      return last.problem;
    },
  };
}
