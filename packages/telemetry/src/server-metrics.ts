import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { boundedLabels } from "./bounded-labels.ts";
import type { CallListener } from "./observe-calls.ts";

export type ServerMetrics = ReturnType<typeof createServerMetrics>;

const maxTools = 1_000;
const maxReasons = 50;
const durationBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** The metrics of a server in a registry of their own, with those of the process: memory, CPU, event loop lag, garbage collection. */
export function createServerMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const storeErrors = new Counter({
    name: "toolpacks_store_errors_total",
    help: "Calls of the store that failed because the store cannot be used.",
    registers,
  });
  return {
    calls: callMetrics(registers),
    onStoreError: () => storeErrors.inc(),
    http: {
      ...httpMetrics(registers),
      /** The metrics of this process in the format of Prometheus. */
      metrics: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
    },
  };
}

/** Label `caller`: `client`, or `tool` for calls that tools make. Label `tool`: a mounted tool, or `other`. */
function callMetrics(registers: Registry[]): CallListener {
  const finished = new Counter({
    name: "toolpacks_calls_total",
    help: "Finished calls of tools by tool, outcome and caller.",
    labelNames: ["tool", "outcome", "caller"],
    registers,
  });
  const duration = new Histogram({
    name: "toolpacks_call_duration_seconds",
    help: "Duration of calls by tool and caller.",
    labelNames: ["tool", "caller"],
    buckets: durationBuckets,
    registers,
  });
  const running = new Gauge({
    name: "toolpacks_calls_running",
    help: "Calls in progress, with the calls that tools make.",
    registers,
  });
  const tools = boundedLabels(maxTools);
  return {
    onStart: () => running.inc(),
    onEnd({ tool: name, facet, outcome, parent, ms }) {
      const tool = facet === undefined ? "other" : tools(name);
      const caller = parent === undefined ? "client" : "tool";
      running.dec();
      finished.inc({ tool, outcome, caller });
      duration.observe({ tool, caller }, ms / 1_000);
    },
  };
}

function httpMetrics(registers: Registry[]) {
  const requests = new Counter({
    name: "toolpacks_http_requests_total",
    help: "HTTP requests by the status of the response.",
    labelNames: ["status"],
    registers,
  });
  const refusals = new Counter({
    name: "toolpacks_http_refusals_total",
    help: "HTTP requests that the guard refused, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const streams = new Gauge({
    name: "toolpacks_http_streams_open",
    help: "Open streams of responses.",
    registers,
  });
  const reasons = boundedLabels(maxReasons);
  return {
    /** Counts a request by the status of its response. */
    onResponse: (status: number) => requests.inc({ status: status >= 100 && status <= 599 ? String(status) : "other" }),
    /** Counts a request that the guard refuses. The reason is one of a few fixed names, such as `origin`. */
    onRefusal: (reason: string) => refusals.inc({ reason: reasons(reason) }),
    /** Counts an open stream. Returns a function that counts its end, at its first call. */
    onStream() {
      let isOpen = true;
      streams.inc();
      return () => {
        if (isOpen) streams.dec();
        isOpen = false;
      };
    },
  };
}
