import { expect, test } from "vitest";
import type { Caller } from "./authenticator.ts";
import { CallerCache } from "./caller-cache.ts";

const caller: Caller = { principal: { id: "", access: undefined }, auth: undefined };

test("a cached caller is forgotten after a minute, or when its token expires", () => {
  const cache = new CallerCache();
  cache.add("a", caller, 0);
  cache.add("b", { ...caller, expiresAt: 10_000 }, 0);
  expect(cache.find("a", 59_999)).toBe(caller);
  expect(cache.find("b", 9_999)).toMatchObject(caller);
  expect(cache.find("c", 0)).toBeUndefined();
  expect([cache.find("a", 60_000), cache.find("b", 10_000)]).toEqual([undefined, undefined]);
  // A clock that is set back brings no caller back.
  expect(cache.find("a", 0)).toBeUndefined();
});

test("the cache is bounded: the oldest caller makes room", () => {
  const cache = new CallerCache();
  for (let count = 0; count <= 1_000; count += 1) cache.add(`token ${count}`, caller, 0);
  expect(cache.find("token 0", 0)).toBeUndefined();
  expect(cache.find("token 1", 0)).toBe(caller);
  expect(cache.find("token 1000", 0)).toBe(caller);
});
