import path from "node:path";
import { expect, test } from "vitest";
import { folder } from "../../run-cli.fixture.ts";
import { serveObserved } from "./observed.fixture.ts";

/** The value of a metric by its name and labels. */
function valueOf(body: string, series: string): number | undefined {
  const line = body.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("metrics count calls, requests, refusals, and streams, and show memory and event loop lag", async () => {
  const { client, observability } = await serveObserved({ era: "2026-07-28" });
  const { http } = observability;
  await client.callTool({ name: "tool_invoke", arguments: { name: "canary_echo", args: {} } });
  await client.callTool({ name: "canary_fail", arguments: { text: "x" } });
  http?.onResponse(200);
  http?.onResponse(403);
  http?.onRefusal("origin");
  http?.onStream();
  const closeStream = http?.onStream();
  closeStream?.();
  closeStream?.();
  const { contentType, body } = (await http?.metrics()) ?? { contentType: "", body: "" };
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  const values = [
    'toolpacks_calls_total{tool="tool_invoke",outcome="ok",caller="client"}',
    'toolpacks_calls_total{tool="canary_echo",outcome="ok",caller="tool"}',
    'toolpacks_calls_total{tool="canary_fail",outcome="conflict",caller="client"}',
    'toolpacks_call_duration_seconds_count{tool="canary_echo",caller="tool"}',
    'toolpacks_http_requests_total{status="403"}',
    'toolpacks_http_refusals_total{reason="origin"}',
    "toolpacks_http_streams_open",
  ].map((series) => valueOf(body, series));
  expect(values).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(valueOf(body, "toolpacks_calls_running")).toBe(0);
  expect(valueOf(body, "process_resident_memory_bytes")).toBeGreaterThan(0);
  expect(valueOf(body, "nodejs_eventloop_lag_seconds")).toBeGreaterThanOrEqual(0);
});

test("metrics count calls of the store that fail because it cannot be used", async () => {
  const store = path.join(folder({ "store.db": "not a database ".repeat(100) }), "store.db");
  const { client, observability } = await serveObserved({ flags: { store } });
  const errors = async () => valueOf((await observability.http?.metrics())?.body ?? "", "toolpacks_store_errors_total");
  expect(await errors()).toBe(0);
  await client.callTool({ name: "store_query", arguments: { kind: "note" } });
  expect(await errors()).toBe(1);
});

test("metrics have no series for 10,000 unknown names of tools, statuses and reasons", async () => {
  const { client, runtime, observability } = await serveObserved();
  const { http } = observability;
  await client.callTool({ name: "unknown_first", arguments: {} });
  const seriesCount = async () =>
    ((await http?.metrics())?.body ?? "").split("\n").filter((line) => line.startsWith("toolpacks_")).length;
  const before = await seriesCount();
  for (let n = 0; n < 10_000; n += 1) await runtime.surface.call({ name: `unknown_${n}` });
  const { body = "" } = (await http?.metrics()) ?? {};
  expect(await seriesCount()).toBe(before);
  expect(valueOf(body, 'toolpacks_calls_total{tool="other",outcome="not_found",caller="client"}')).toBe(10_001);
  for (let n = 0; n < 10_000; n += 1) {
    http?.onResponse(n);
    http?.onRefusal(`reason ${n}`);
  }
  expect(await seriesCount()).toBeLessThan(before + 600);
});
