/** Races a result against a signal. @throws the reason of the signal */
export async function untilAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason);
  signal.addEventListener("abort", leave);
  // An aborted signal fires no event.
  if (signal.aborted) leave();
  try {
    return await Promise.race([result, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
