/** Tells each listener of a generation. What one throws is a warning of this process: neither the others nor the write suffer from it. */
export function notifyListeners(listeners: Iterable<(generation: number) => void>, generation: number): void {
  for (const listener of listeners) {
    try {
      listener(generation);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : new Error(String(error)), { type: "StoreWatchWarning" });
    }
  }
}
