import { isObject } from "@toolpacks/core";

/** Whether an OpenTelemetry SDK is loaded, such as with `node --import`. It is found without loading the API, under the API's global symbol. */
export function hasTelemetrySdk(): boolean {
  const api = (globalThis as { readonly [key: symbol]: unknown })[Symbol.for("opentelemetry.js.api.1")];
  return isObject(api) && (api["trace"] !== undefined || api["metrics"] !== undefined);
}
