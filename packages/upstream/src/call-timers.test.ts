import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CallTimers } from "./call-timers.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const pass = (ms: number) => vi.advanceTimersByTime(ms);

describe("a call's time", () => {
  test("is over after the limit, whenever the one before began", () => {
    const timers = new CallTimers(100);
    const first = timers.start(never);
    pass(60);
    const second = timers.start(never);
    pass(39);
    expect(first.isOver).toBe(false);
    pass(1);
    expect([first.isOver, second.isOver]).toEqual([true, false]);
    first.stop();
    pass(59);
    expect(second.isOver).toBe(false);
    pass(1);
    expect(second.isOver).toBe(true);
  });

  test("begins anew at each sign of life", () => {
    const call = new CallTimers(100).start(never);
    for (let n = 0; n < 5; n += 1) {
      pass(90);
      call.restart();
    }
    expect(call.isOver).toBe(false);
    pass(100);
    expect(call.isOver).toBe(true);
  });

  test("stands still while a person is asked", async () => {
    const call = new CallTimers(100).start(never);
    pass(90);
    const asked = Promise.withResolvers<string>();
    const answer = call.hold(() => asked.promise);
    pass(10_000);
    asked.resolve("yes");
    expect(await answer).toBe("yes");
    pass(99);
    expect(call.isOver).toBe(false);
    pass(1);
    expect(call.isOver).toBe(true);
  });

  test("is its caller's, too", () => {
    const caller = new AbortController();
    const timers = new CallTimers(100);
    const call = timers.start(caller.signal);
    caller.abort("gone");
    expect(call.signal.reason).toBe("gone");
    expect(call.isOver).toBe(false);
    expect(timers.start(caller.signal).signal.aborted).toBe(true);
  });

  test("fires the signal that was taken before, and tells onend, once", () => {
    const caller = new AbortController();
    const timers = new CallTimers(100);
    const told: unknown[] = [];
    const calls = [timers.start(caller.signal), timers.start(never)];
    for (const call of calls) call.onend = (reason) => told.push(reason);
    const signals = calls.map(({ signal }) => signal);
    caller.abort("gone");
    pass(300);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(told).toEqual(["gone", new Error("the time is over")]);
    expect(calls.map(({ isOver }) => isOver)).toEqual([false, true]);
  });

  test("costs no timer once all calls have ended", () => {
    const timers = new CallTimers(100);
    timers.start(never).stop();
    expect(vi.getTimerCount()).toBe(1);
    pass(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});
