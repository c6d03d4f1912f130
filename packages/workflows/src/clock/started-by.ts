import { AsyncLocalStorage } from "node:async_hooks";

const starting = new AsyncLocalStorage<string>();

/** Runs a call of the clock that starts a run. @param wakeup the id of the record with the run to start */
export function startBy<T>(wakeup: string, call: () => T): T {
  return starting.run(wakeup, call);
}

/** The record of the clock that the running call starts. Undefined for a call of a client. */
export function startedBy(): string | undefined {
  return starting.getStore();
}
