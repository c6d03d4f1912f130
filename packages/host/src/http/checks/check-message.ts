import type { IncomingHttpHeaders } from "node:http";
import { isObject } from "@toolpacks/core";
import { forbiddenArgument } from "../../forbidden-argument.ts";
import type { HttpCheck } from "../http-check.ts";
import { errorCodes, RequestRefusal } from "../refusal.ts";

/**
 * Checks that the body is one message, and that the headers `Mcp-Method` and `Mcp-Name` name what it contains. A proxy may decide by these headers. The
 * SDK requires them of clients of 2026; a client of 2025 need not send them, and must not send wrong ones. No call has an argument `__proto__`.
 */
export const checkMessage: HttpCheck = (found, next) => {
  const { body, request } = found;
  if (Array.isArray(body)) {
    const message = "batches are not supported: send each message in a request of its own";
    throw new RequestRefusal({ status: 400, rule: "batch", code: errorCodes.invalid, message });
  }
  const message = isObject(body) ? body : {};
  const id = requestId(message);
  checkHeaders(message, request.headers, id);
  const problem = forbiddenArgument(message);
  if (problem !== undefined)
    throw new RequestRefusal({ status: 400, rule: "arguments", code: errorCodes.invalidParams, message: problem, id });
  found.isSubscription = message["method"] === "subscriptions/listen";
  found.id = id;
  return next();
};

/** The parameter that `Mcp-Name` repeats, by method. */
const namedBy: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

function checkHeaders(
  { method, params }: Readonly<Record<string, unknown>>,
  headers: IncomingHttpHeaders,
  id: string | number | null,
): void {
  const inHeader = headers["mcp-method"];
  if (inHeader !== undefined && inHeader !== method) {
    throw mismatch(`Mcp-Method: ${quote(inHeader)}, but the body names ${quote(method)}`, id);
  }
  const name = headers["mcp-name"];
  const field = typeof method === "string" && Object.hasOwn(namedBy, method) ? namedBy[method] : undefined;
  if (typeof name !== "string" || field === undefined) return;
  const inBody = isObject(params) ? params[field] : undefined;
  if (decoded(name) !== inBody) throw mismatch(`Mcp-Name: ${quote(name)}, but the body names ${quote(inBody)}`, id);
}

/** Decodes a header whose value is no plain ASCII text: `=?base64?…?=`. */
function decoded(value: string): string {
  const base64 = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value)?.[1];
  return base64 === undefined ? value : Buffer.from(base64, "base64").toString();
}

function mismatch(message: string, id: string | number | null): RequestRefusal {
  return new RequestRefusal({ status: 400, rule: "header-mismatch", code: errorCodes.headerMismatch, message, id });
}

function requestId({ method, id }: Readonly<Record<string, unknown>>): string | number | null {
  return typeof method === "string" && (typeof id === "string" || typeof id === "number") ? id : null;
}

function quote(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : "nothing";
}
