interface Deadline {
  readonly timeoutMs: number;
  /** The caller's signal. */
  readonly signal: AbortSignal;
}

/**
 * Runs a search until it ends or times out. The search keeps its hits so far.
 *
 * @returns whether it timed out; a cancellation by the caller is thrown
 */
export async function untilDeadline(
  { timeoutMs, signal }: Deadline,
  search: (deadline: AbortSignal) => Promise<void>,
): Promise<boolean> {
  try {
    await search(AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    return false;
  } catch (error) {
    if (!isTimeout(error) || signal.aborted) throw error;
    return true;
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
