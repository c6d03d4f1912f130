import { isObject } from "@toolpacks/core";
import { isLogged } from "./log.ts";
import type { Observability } from "./observability.ts";
import { observeCalls } from "./observe-calls.ts";

interface ObservabilityOptions {
  /** Version of the server, for spans. */
  readonly version: string;
  /** Whether the server serves HTTP. It then has a log of JSON lines and metrics. */
  readonly isHttp: boolean;
  /** Where the log is written. Default: stderr. */
  readonly output?: { write(line: string): unknown } | undefined;
}

/**
 * Opens the log, metrics and traces of a server. Over stdio, only traces, and only if an OpenTelemetry SDK is loaded: otherwise undefined. Libraries that are
 * not used are not loaded.
 */
export async function openObservability(options: ObservabilityOptions): Promise<Observability | undefined> {
  const { isHttp, output } = options;
  const hasSdk = hasTelemetrySdk();
  if (!isHttp && !hasSdk) return undefined;
  const [log, metrics, telemetry] = await Promise.all([
    isHttp ? import("./json-log.ts").then(({ createJsonLog }) => createJsonLog(output)) : undefined,
    isHttp ? import("./server-metrics.ts").then(({ createServerMetrics }) => createServerMetrics()) : undefined,
    hasSdk ? import("./telemetry.ts").then(({ Telemetry }) => new Telemetry(options)) : undefined,
  ]);
  return {
    sink: log?.sink,
    observer: (level) =>
      observeCalls(
        [log !== undefined && isLogged("info", level) ? log.calls : [], metrics?.calls ?? []].flat(),
        telemetry,
      ),
    onStoreError: metrics?.onStoreError ?? (() => {}),
    http: metrics?.http,
    flush: async () => log?.flush(),
  };
}

/** Whether an OpenTelemetry SDK is loaded, such as with `node --import`. It is found without loading the API, under the API's global symbol. */
function hasTelemetrySdk(): boolean {
  const api = (globalThis as { readonly [key: symbol]: unknown })[Symbol.for("opentelemetry.js.api.1")];
  return isObject(api) && (api["trace"] !== undefined || api["metrics"] !== undefined);
}
