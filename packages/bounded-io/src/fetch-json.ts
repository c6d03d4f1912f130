import { exceededMessage, jsonValue, measure, ToolError, type ValueBounds } from "@toolpacks/core";
import { boundedFetch } from "./bounded-fetch.ts";

export interface JsonResponseBounds extends ValueBounds {
  /** Maximum response body size in bytes, after decompression. */
  readonly maxBytes: number;
}

export interface JsonResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** The parsed body; undefined where the status is an error. */
  readonly value: unknown;
}

const maxRedirects = 5;

/**
 * Sends a request and parses the JSON response. The size is checked before parsing, depth and number of values after it. Follows redirects within the origin,
 * with the same method and body.
 *
 * @throws ToolError `too_large` beyond a bound; `unavailable` when the body is not JSON, or a redirect leads to another origin
 */
export async function fetchJson(url: string, init: RequestInit, bounds: JsonResponseBounds): Promise<JsonResponse> {
  const response = await followWithinOrigin(url, init, bounds);
  const { ok, status, statusText, headers } = response;
  if (!ok) {
    await response.body?.cancel();
    return { ok, status, statusText, headers, value: undefined };
  }
  return { ok, status, statusText, headers, value: parseBounded(await response.text(), bounds) };
}

/**
 * Parses JSON whose depth and number of values are bounded.
 *
 * @throws ToolError `too_large` beyond a bound, `unavailable` when it is not JSON
 */
export function parseBounded(json: string, bounds: ValueBounds): unknown {
  const value = jsonValue(json);
  if (value === undefined) throw new ToolError("unavailable", "the response is not JSON");
  const { exceeded } = measure(value, bounds);
  if (exceeded !== undefined) throw new ToolError("too_large", `the response is ${exceededMessage(exceeded, bounds)}`);
  return value;
}

/** Sends a request and follows redirects within the origin. Another origin must not get the body of the request. */
async function followWithinOrigin(url: string, init: RequestInit, bounds: JsonResponseBounds): Promise<Response> {
  const fetch = boundedFetch({ maxBytes: bounds.maxBytes });
  const { origin } = new URL(url);
  let address = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await fetch(address, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    const target = URL.canParse(location, address) ? new URL(location, address) : undefined;
    if (target?.origin !== origin) {
      throw new ToolError(
        "unavailable",
        `it redirects to ${target?.origin ?? "no address"}, which is another origin than ${origin}`,
        "Redirects to another origin are not followed. If that address is right, configure it directly.",
      );
    }
    address = target.href;
  }
  throw new ToolError("unavailable", `it redirects more than ${maxRedirects} times`);
}
