import type { ObservabilityOptions } from "./create-observability.ts";
import type { Observability } from "./observability.ts";
import { hasTelemetrySdk } from "./telemetry-sdk.ts";

/** Opens the log, metrics and traces of a server. Over stdio, only traces, and only if an OpenTelemetry SDK is loaded: otherwise undefined. */
export async function openObservability(options: ObservabilityOptions): Promise<Observability | undefined> {
  if (!options.isHttp && !hasTelemetrySdk()) return undefined;
  const { createObservability } = await import("./create-observability.ts");
  return createObservability(options);
}
