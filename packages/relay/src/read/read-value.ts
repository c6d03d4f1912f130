import { handleIn, ToolError } from "@toolpacks/core";
import type { RelayReadRequest, RelayReply } from "../relay-read.ts";
import { parseHandle, type Handle, type Span } from "../handle.ts";
import type { RelayValues } from "../values/relay-values.ts";
import { spanBytes } from "./byte-range.ts";
import { openValue, rangeBytes, type OpenValue } from "./open-value.ts";
import { readBytes, readLength, readLines, readMatches, readPicked, readSlice } from "./pages.ts";

export interface ReadOptions {
  readonly values: RelayValues;
  /** Maximum bytes of the value in an answer. */
  readonly page: number;
  readonly signal?: AbortSignal;
}

/** Maximum size of an image or sound that is shown as such. */
const maxMedia = 4 * 1024 * 1024;

/** Answers `relay_read`. @throws ToolError */
export async function readValue(request: RelayReadRequest, { values, page, signal }: ReadOptions): Promise<RelayReply> {
  signal?.throwIfAborted();
  const handle = parseHandle(handleIn(request.handle) ?? request.handle);
  const value = await openValue(values, handle.id, signal);
  const plan = planOf(request, handle);
  if (!value.info.text && plan.mode === "whole") return { blocks: [await mediaBlock(value)] };
  const text =
    plan.mode === "query" ? await readRows(value, { request, handle, page }) : await readText(value, plan, page);
  return { blocks: [{ type: "text", text }] };
}

type Mode = NonNullable<RelayReadRequest["mode"]>;

/** A request with its mode. */
type Plan = RelayReadRequest & { readonly mode: Mode };

/** Applies the range of a handle to a request that reads the whole value. `start` and `count` of the request override it. */
function planOf(request: RelayReadRequest, { id, range }: Handle): Plan {
  const { pattern, start, count } = request;
  const mode = request.mode ?? (pattern === undefined ? "whole" : patternMode(pattern));
  if (mode !== "whole") return { ...request, mode };
  if (range === undefined) {
    return { ...request, mode: start === undefined && count === undefined ? "whole" : "slice" };
  }
  if (range.unit === "json") return { ...request, mode: "pick", pattern: range.path };
  if (range.unit === "bytes") {
    throw new ToolError("invalid_input", `handle: a range in bytes is for arguments`, `Use relay://${id}#chars=0-999.`);
  }
  return { ...request, mode: range.unit === "lines" ? "lines" : "slice", ...partOf(range.span, request) };
}

/** The mode that a pattern asks for: SQL, a JSONPath, or else a regular expression. */
function patternMode(pattern: string): Mode {
  if (/^\s*(?:select|with|values)\s/i.test(pattern)) return "query";
  return /^\$(?:$|[.[])/.test(pattern) ? "pick" : "grep";
}

/** The part of a span that is requested. `start` counts from the beginning of the value. */
function partOf(span: Span, { start = span.start, count = Infinity }: Partial<Span>): Span {
  const left = span.count === undefined ? Infinity : Math.max(0, span.start + span.count - start);
  return { start, count: Math.min(left, count) };
}

async function readText(value: OpenValue, plan: Plan, page: number): Promise<string> {
  const { mode, pattern } = plan;
  if (mode === "length") return readLength(value);
  if (mode === "whole") return readSlice(value, {}, page);
  if (mode === "slice") return value.info.text ? readSlice(value, plan, page) : readBytes(value, plan, page);
  if (!value.info.text) {
    throw new ToolError("invalid_input", `mode: ${mode} is for text, and the value is ${value.info.mimeType}`);
  }
  if (mode === "lines") return readLines(value, plan, page);
  if (pattern === undefined) throw new ToolError("invalid_input", `pattern: required with ${mode}`);
  const read = mode === "grep" ? readMatches : readPicked;
  return read(value, { ...plan, pattern }, page);
}

/** The range of the handle says which part of the value is the table. */
async function readRows(
  value: OpenValue,
  { request, handle, page }: { request: RelayReadRequest; handle: Handle; page: number },
): Promise<string> {
  const { queryValue } = await import("../query/query-value.ts");
  const { pattern = "SELECT * FROM t LIMIT 3", start = 0, count = Infinity } = request;
  const { range } = handle;
  const { text, mimeType } = value.info;
  if (!text && !/^text\/|json|csv/.test(mimeType)) {
    throw new ToolError("invalid_input", `mode: query is for text, and the value is ${mimeType}`);
  }
  return queryValue(value, {
    sql: pattern,
    skip: Math.max(0, start),
    // JSON has no Infinity.
    limit: Math.min(count, page),
    room: page,
    path: range?.unit === "json" ? range.path : undefined,
    range: range === undefined || range.unit === "json" ? undefined : await spanBytes(value, range),
  });
}

async function mediaBlock(value: OpenValue): Promise<RelayReply["blocks"][number]> {
  const { mimeType, size } = value.info;
  const type = /^(image|audio)\//.exec(mimeType)?.[1] as "image" | "audio" | undefined;
  if (type === undefined || size > maxMedia) {
    return { type: "text", text: `${mimeType}, ${size} bytes: pass the handle on, or read a slice in base64.` };
  }
  return { type, data: (await rangeBytes(value)).toString("base64"), mimeType };
}
