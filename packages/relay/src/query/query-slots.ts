import { ToolError } from "@toolpacks/core";

const maxRunning = 2;
const maxWaiting = 16;

let running = 0;
const waiting: (() => void)[] = [];

/** Runs work when fewer than two queries of this process run. @throws ToolError `unavailable` when too many wait; the signal's reason */
export async function inQuerySlot<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (running < maxRunning) running += 1;
  else await nextSlot(signal);
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Waits until a query ends and leaves its slot to this one. */
function nextSlot(signal: AbortSignal | undefined): Promise<void> {
  if (waiting.length >= maxWaiting) {
    throw new ToolError("unavailable", `query: ${maxRunning} queries run and ${maxWaiting} wait`, "Try again later.");
  }
  return new Promise((resolve, reject) => {
    const enter = () => {
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal?.reason as Error);
    };
    waiting.push(enter);
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted) leave();
  });
}
