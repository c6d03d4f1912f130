import type { ErrorCode, Failure } from "@toolpacks/core";
import pRetry from "p-retry";
import type { ActionResult } from "./action-result.ts";
import { abortFailure } from "./with-timeout.ts";

/** Error codes that are not retried: the next attempt would fail the same way. */
const final: ReadonlySet<ErrorCode> = new Set(["invalid_input", "not_found", "denied", "too_large", "cancelled"]);

interface Attempts {
  readonly attempts: number;
  readonly backoff: number;
  readonly signal: AbortSignal;
}

/** Retries an action until it succeeds, fails with a code that is not retried, or has no attempts left. */
export async function retryAction(
  { attempts, backoff, signal }: Attempts,
  work: () => Promise<ActionResult>,
): Promise<{ readonly result: ActionResult; readonly attempts: number }> {
  if (attempts === 1) return { result: await work(), attempts: 1 };
  let made = 0;
  try {
    const result = await pRetry(
      async () => {
        made += 1;
        const one = await work();
        if (one.status === "failed") throw new AttemptFailed(one);
        return one;
      },
      {
        retries: attempts - 1,
        minTimeout: backoff,
        factor: 2,
        randomize: false,
        signal,
        shouldRetry: ({ error }) => error instanceof AttemptFailed && !final.has(error.result.failure.code),
      },
    );
    return { result, attempts: made };
  } catch (error) {
    if (error instanceof AttemptFailed) return { result: error.result, attempts: made };
    if (signal.aborted) return { result: { status: "failed", failure: abortFailure(signal) }, attempts: made };
    throw error;
  }
}

class AttemptFailed extends Error {
  readonly result: ActionResult & { readonly failure: Failure };

  constructor(result: ActionResult & { readonly failure: Failure }) {
    super(result.failure.message);
    this.result = result;
  }
}
