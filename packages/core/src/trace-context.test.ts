import { describe, expect, test } from "vitest";
import { readTraceContext, traceMeta } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${parentId}-01`;

describe("readTraceContext", () => {
  test.each([
    undefined,
    null,
    {},
    { traceparent: 1 },
    { traceparent: "" },
    { traceparent: traceparent.toUpperCase() },
    { traceparent: `00-${"0".repeat(32)}-${parentId}-01` },
    { traceparent: `00-${traceId}-${"0".repeat(16)}-01` },
    { traceparent: `ff-${traceId}-${parentId}-01` },
    { traceparent: `${traceparent}-more` },
    { traceparent: `${traceparent}\n` },
    { traceparent: ` ${traceparent}` },
    { traceparent: `01-${traceId}-${parentId}-01more` },
    { traceparent: `01-${traceId}-${parentId}-01-${"x".repeat(1_000)}` },
    { tracestate: "vendor=1" },
  ])("drops %j", (meta) => {
    expect(readTraceContext(meta)).toBeUndefined();
  });

  test("turns a later version into version 00 with the known flags", () => {
    expect(readTraceContext({ traceparent: `cc-${traceId}-${parentId}-ff-later` })).toEqual({
      traceparent: `00-${traceId}-${parentId}-03`,
    });
  });

  test.each(["a=1", "a=1, b=2", "0tenant@vendor=x y", `a=${"v".repeat(256)}`, "a=1,,b=2"])(
    "keeps the tracestate %j",
    (tracestate) => {
      expect(readTraceContext({ traceparent, tracestate })).toEqual({ traceparent, tracestate });
    },
  );

  test.each(["", "a=\u00e9", "a=1\u001b", "a=1\nb=2", "a=1,".repeat(200), 7])(
    "drops the tracestate %j alone",
    (tracestate) => {
      expect(readTraceContext({ traceparent, tracestate })).toEqual({ traceparent });
    },
  );

  test.each(["", "user=\u00e9", "a=1\r\nb=2", "x".repeat(8_193), ["user=alice"]])(
    "drops the baggage %j alone",
    (baggage) => {
      expect(readTraceContext({ traceparent, baggage })).toEqual({ traceparent });
    },
  );
});

test("traceMeta has the trace without its baggage", () => {
  const trace = readTraceContext({ traceparent, tracestate: "a=1", baggage: "user=alice" });
  expect(trace).toEqual({ traceparent, tracestate: "a=1", baggage: "user=alice" });
  if (trace !== undefined) expect(traceMeta({ trace })).toEqual({ _meta: { traceparent, tracestate: "a=1" } });
  expect(traceMeta({})).toEqual({});
});
