/** A result, for as long as the signal is not aborted: whoever goes away does not wait for it. @throws what the signal was aborted with */
export async function untilAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
  const gone = Promise.withResolvers<never>();
  const leave = () => gone.reject(signal.reason);
  signal.addEventListener("abort", leave);
  // One that was aborted before tells no listener.
  if (signal.aborted) leave();
  try {
    return await Promise.race([result, gone.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
