import { randomUUID } from "node:crypto";
import type { Asking } from "./interactive-calls.ts";

/**
 * Asks the model of a client of protocol 2026-07-28, in a result.
 *
 * @param signal ends the waiting. The question stays open, and its answer is not used.
 */
export async function sampleInRound(
  request: Asking["request"],
  params: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  // Each question has its own name, so that no answer counts for two.
  const name = `sample-${randomUUID()}`;
  const answered = request({ [name]: { method: "sampling/createMessage", params } });
  const answers = await (signal === undefined ? answered : Promise.race([answered, aborted(signal)]));
  return answers[name] ?? {};
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}
