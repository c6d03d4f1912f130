import { isLogged } from "./log.ts";
import type { Observability } from "./observability.ts";
import { observeCalls } from "./observe-calls.ts";
import { hasTelemetrySdk } from "./telemetry-sdk.ts";

export interface ObservabilityOptions {
  /** Version of the server, for spans. */
  readonly version: string;
  /** Whether the server serves HTTP. It then has a log of JSON lines and metrics. */
  readonly isHttp: boolean;
  /** Where the log is written. Default: stderr. */
  readonly output?: { write(line: string): unknown } | undefined;
}

/** Creates the log, metrics and traces of a server. Libraries that are not used are not loaded. */
export async function createObservability({ version, isHttp, output }: ObservabilityOptions): Promise<Observability> {
  const [log, metrics, telemetry] = await Promise.all([
    isHttp ? import("./json-log.ts").then(({ createJsonLog }) => createJsonLog(output)) : undefined,
    isHttp ? import("./server-metrics.ts").then(({ createServerMetrics }) => createServerMetrics()) : undefined,
    hasTelemetrySdk()
      ? import("./telemetry.ts").then(({ Telemetry }) => new Telemetry({ version, isHttp }))
      : undefined,
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
