import type { HttpCheck } from "../http-check.ts";
import { RequestRefusal } from "../refusal.ts";

/** Headers that decide what a request is. Two of one name may be read differently by a proxy and by this server. */
const singleHeaders = new Set([
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "origin",
  "transfer-encoding",
]);

/** Refuses a request with two headers of one name that decides what the request is. */
export const checkSingleHeaders: HttpCheck = ({ request: { rawHeaders } }, next) => {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (!seen.has(name)) seen.add(name);
    else throw new RequestRefusal({ status: 400, rule: "duplicate-header", message: `${name}: sent more than once` });
  }
  return next();
};
