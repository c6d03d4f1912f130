import { expect, test } from "vitest";
import { isLoopback, networkOf } from "./network-address.ts";

test.each(["127.0.0.1", "127.8.9.1", "::1", "0:0:0:0:0:0:0:1", "localhost", "LOCALHOST"])(
  "%s is of this machine",
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  "0.0.0.0",
  "::",
  "128.0.0.1",
  "127.1",
  "2130706433",
  "0x7f.1",
  "localhost.example",
  "::ffff:10.0.0.1",
  "",
  "fe80::1",
])("%s is not of this machine alone", (host) => expect(isLoopback(host)).toBe(false));

test("addresses of one network count together", () => {
  expect(networkOf("10.0.0.1")).toBe("10.0.0.1");
  expect(networkOf("::ffff:10.0.0.1")).toBe("10.0.0.1");
  expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe(networkOf("2001:db8:1:2::9"));
  expect(networkOf("2001:db8::1")).not.toBe(networkOf("2001:db8:1::1"));
  expect(networkOf("::1")).toBe("0:0:0:0");
});

test("an address of a URL is recognized in its brackets, and a name below localhost is not", () => {
  expect(isLoopback("[::1]")).toBe(true);
  expect(isLoopback("[::2]")).toBe(false);
  // Which address such a name has is up to the resolver.
  expect(isLoopback("a.localhost")).toBe(false);
});
