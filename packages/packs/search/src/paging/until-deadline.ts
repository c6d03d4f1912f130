interface Deadline {
  readonly timeoutMs: number;
  /** The caller's own. */
  readonly signal: AbortSignal;
}

/**
 * Runs a search that gathers as it goes, until it is done or its time is up.
 *
 * @returns whether its time was up. A caller's cancellation is thrown, as any other error.
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
