import { setTimeout as wait } from "node:timers/promises";
import type { ErrorCode } from "@toolpacks/core";
import type { ActionResult } from "./action-result.ts";
import { abortError } from "./with-timeout.ts";

/** Error codes that are not retried: the next attempt would fail the same way. */
const final: ReadonlySet<ErrorCode> = new Set(["invalid_input", "not_found", "denied", "too_large", "cancelled"]);

interface Attempts {
  /** Maximum attempts. */
  readonly attempts: number;
  /** Delay before the second attempt in ms. It doubles each time. */
  readonly backoff: number;
  readonly signal: AbortSignal;
}

/** Retries an action until it succeeds, fails with a code that is not retried, or has no attempts left. */
export async function retryAction(
  { attempts: max, backoff, signal }: Attempts,
  work: () => Promise<ActionResult>,
): Promise<{ readonly result: ActionResult; readonly attempts: number }> {
  for (let attempts = 1; ; attempts += 1) {
    const result = await work();
    if (result.status !== "failed" || attempts === max || final.has(result.failure.code)) return { result, attempts };
    await wait(backoff * 2 ** (attempts - 1), undefined, { signal }).catch(() => {});
    if (signal.aborted) return { result: { status: "failed", failure: abortError(signal) }, attempts };
  }
}
