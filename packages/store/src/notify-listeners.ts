/** Calls each listener with a generation. An error of a listener becomes a process warning, so the other listeners and the write go on. */
export function notifyListeners(listeners: Iterable<(generation: number) => void>, generation: number): void {
  for (const listener of listeners) {
    try {
      listener(generation);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : new Error(String(error)), { type: "StoreWatchWarning" });
    }
  }
}
