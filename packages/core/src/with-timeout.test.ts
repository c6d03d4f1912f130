import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { withTimeout } from "./with-timeout.ts";

const never = new Promise<string>(() => {});

test("returns the result of work that ends in time, and clears the timer", async () => {
  vi.useFakeTimers();
  try {
    const onTimeout = vi.fn();
    expect(await withTimeout(Promise.resolve("done"), { ms: 1_000, onTimeout })).toBe("done");
    await expect(withTimeout(Promise.reject(new Error("no")), { ms: 1_000, onTimeout })).rejects.toThrow("no");
    expect(vi.getTimerCount()).toBe(0);
    expect(onTimeout).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});

test("returns the result of onTimeout, or throws its error", async () => {
  expect(await withTimeout(never, { ms: 1, onTimeout: () => "late" })).toBe("late");
  const onTimeout = () => {
    throw new Error("timed out waiting for the answer");
  };
  await expect(withTimeout(never, { ms: 1, onTimeout })).rejects.toThrow("timed out waiting for the answer");
});

test("aborts the signal of the work at the timeout, and only then", async () => {
  let early: AbortSignal | undefined;
  const quick = (signal: AbortSignal) => {
    early = signal;
    return Promise.resolve();
  };
  await withTimeout(quick, { ms: 5, onTimeout: () => {} });
  await wait(20);
  expect(early?.aborted).toBe(false);

  let late: AbortSignal | undefined;
  const slow = (signal: AbortSignal) => {
    late = signal;
    return never;
  };
  await withTimeout(slow, { ms: 5, onTimeout: () => {} });
  expect(late?.reason).toMatchObject({ name: "TimeoutError" });
});

test("ignores a rejection after the timeout", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  try {
    const stops = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    expect(await withTimeout(stops, { ms: 1, onTimeout: () => "late" })).toBe("late");
    await wait(10);
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off("unhandledRejection", unhandled);
  }
});

test("keeps a process running until the timeout or the end of the work", async () => {
  const started = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  try {
    const work = withTimeout(never, { ms: 20, onTimeout: () => "reached" });
    const timer = started.mock.results.at(-1)?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(true);
    expect(await work).toBe("reached");
    await withTimeout(Promise.resolve(), { ms: 600_000, onTimeout: () => {} });
    expect(cleared).toHaveBeenCalledWith(started.mock.results.at(-1)?.value);
  } finally {
    started.mockRestore();
    cleared.mockRestore();
  }
});
