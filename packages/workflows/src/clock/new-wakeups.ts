const listeners = new Set<() => void>();

/** Calls a listener when a run of this process waits for the clock. Returns a function that stops it. */
export function onWakeup(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function noticeWakeup(): void {
  for (const listener of listeners) listener();
}
