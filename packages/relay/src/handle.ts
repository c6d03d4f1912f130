import { ToolError } from "@toolpacks/core";
import { isValueId } from "@toolpacks/store";

/** A range in a text. A negative `start` counts from the end. Without `count` it goes to the end. */
export interface Span {
  readonly start: number;
  readonly count?: number;
}

/** The part of a value in a handle. */
export type HandleRange =
  /** Numbered from 1. */
  | { readonly unit: "lines"; readonly span: Span }
  /** Numbered from 0. */
  | { readonly unit: "bytes" | "chars"; readonly span: Span }
  /** A JSONPath. */
  | { readonly unit: "json"; readonly path: string };

export interface Handle {
  readonly id: string;
  readonly range?: HandleRange;
}

/** `opaque`: a plain handle. `json`: `{"type":"resource_link","uri":"relay://<id>"}`. */
export const handleModes = ["opaque", "json"] as const;

export type HandleMode = (typeof handleModes)[number];

export function formatHandle(id: string, mode: HandleMode = "opaque"): string {
  const uri = `relay://${id}`;
  return mode === "opaque" ? uri : JSON.stringify({ type: "resource_link", uri });
}

const form = /^(?:relay|internal):\/\/([^#/]*)\/?(?:#(.*))?$/s;
const spans = /^(lines|bytes|chars)=(?:(\d+)(-)?(\d+)?|-(\d+))$/;

/**
 * Parses a handle: `relay://<id>`, and optionally `#lines=10-20` (from 1, both included), `#lines=10-` (to the end), `#lines=-5`
 * (the last five), the same with `bytes` and `chars` (from 0), or `#json=$.items[0]` (JSONPath).
 *
 * @throws ToolError `not_found` for a malformed handle
 */
export function parseHandle(text: string): Handle {
  const [, id = "", fragment] = form.exec(text) ?? [];
  if (!isValueId(id)) {
    throw new ToolError(
      "not_found",
      `handle: ${JSON.stringify(text.slice(0, 80))} is not a handle`,
      "Copy one as it was given: relay:// and 20 characters.",
    );
  }
  if (fragment === undefined) return { id };
  const range = parseRange(fragment);
  if (range !== undefined) return { id, range };
  throw new ToolError(
    "not_found",
    `handle: ${JSON.stringify(fragment.slice(0, 80))} is not a range of relay://${id}`,
    "Ranges: #lines=10-20, #lines=10-, #lines=-5 (the last five), the same with bytes or chars, #json=$.items[0].",
  );
}

function parseRange(fragment: string): HandleRange | undefined {
  if (fragment.startsWith("json=")) return { unit: "json", path: fragment.slice("json=".length) };
  const [, unit, first, dash, last, fromEnd] = spans.exec(fragment) ?? [];
  if (unit === undefined) return undefined;
  const named = unit as "lines" | "bytes" | "chars";
  // No last item: -0 would mean the beginning.
  if (Number(fromEnd) === 0) return undefined;
  if (fromEnd !== undefined) return { unit: named, span: { start: -Number(fromEnd) } };
  const start = Number(first);
  if (unit === "lines" && start === 0) return undefined;
  if (dash === undefined) return { unit: named, span: { start, count: 1 } };
  if (last === undefined) return { unit: named, span: { start } };
  if (Number(last) < start) return undefined;
  return { unit: named, span: { start, count: Number(last) - start + 1 } };
}

/** Whether a URI is a value of the relay. The server may have `internal://` URIs of its own. */
export function isValueUri(uri: unknown): uri is string {
  if (typeof uri !== "string") return false;
  const [, scheme, id = ""] = /^(relay|internal):\/\/([^#/]*)/.exec(uri) ?? [];
  return scheme === "relay" || (scheme === "internal" && isValueId(id));
}
