import { afterEach, expect, test, vi } from "vitest";
import type { Caller } from "./authenticator.ts";
import { CallerCache } from "./caller-cache.ts";

const caller: Caller = { principal: { id: "", access: undefined }, auth: undefined };

afterEach(() => void vi.useRealTimers());

test("a cached caller is forgotten after a minute, or when its token expires", () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const cache = new CallerCache();
  cache.add("a", caller);
  cache.add("b", { ...caller, expiresAt: 1_010_000 });
  cache.add("expired", { ...caller, expiresAt: 1_000_000 });
  expect(cache.find("c")).toBeUndefined();
  expect(cache.find("expired")).toBeUndefined();
  vi.advanceTimersByTime(9_999);
  expect(cache.find("b")).toMatchObject(caller);
  vi.advanceTimersByTime(50_000);
  expect([cache.find("a"), cache.find("b")]).toEqual([caller, undefined]);
  vi.advanceTimersByTime(2);
  expect(cache.find("a")).toBeUndefined();
});

test("the cache is bounded: the caller that was not used for longest makes room", () => {
  const cache = new CallerCache();
  for (let count = 0; count <= 1_000; count += 1) cache.add(`token ${count}`, caller);
  expect(cache.find("token 0")).toBeUndefined();
  expect(cache.find("token 1")).toBe(caller);
  expect(cache.find("token 1000")).toBe(caller);
});
