import type { IncomingMessage } from "node:http";
import type { HostNames } from "./host-names.ts";
import { RequestRefusal } from "./refusal.ts";

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

/** Reads the path of a request target, without its query. @throws RequestRefusal for a target that is no path and no address of this server */
export function targetPath({ url = "" }: IncomingMessage, names: HostNames): string {
  if (url.startsWith("/")) return withoutQuery(url);
  const absolute = /^https?:\/\/([^/?#@\s]+)(\/[^\s]*)?$/i.exec(url);
  if (absolute === null) {
    throw new RequestRefusal({ status: 400, rule: "target", message: "request target: expected a path such as /mcp" });
  }
  names.checkTarget(absolute[1] ?? "");
  return withoutQuery(absolute[2] ?? "/");
}

function withoutQuery(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

/** @throws RequestRefusal naming a header that is sent twice */
export function checkSingleHeaders({ rawHeaders }: IncomingMessage): void {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (!seen.has(name)) seen.add(name);
    else throw new RequestRefusal({ status: 400, rule: "duplicate-header", message: `${name}: sent more than once` });
  }
}

/** Checks the method and the headers of a message. @throws RequestRefusal */
export function checkMessageHead({ method, headers }: IncomingMessage, maxBodyBytes: number): void {
  if (method !== "POST") {
    throw new RequestRefusal({
      status: 405,
      rule: "method",
      message: "Method not allowed: send messages with POST",
      headers: { Allow: "POST" },
    });
  }
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new RequestRefusal({
      status: 415,
      rule: "content-encoding",
      message: "Content-Encoding: compressed requests are not accepted; send plain JSON",
      headers: { "Accept-Encoding": "identity" },
    });
  }
  const type = headers["content-type"] ?? "";
  if (type.split(";", 1)[0]?.trim().toLowerCase() !== "application/json") {
    throw new RequestRefusal({
      status: 415,
      rule: "content-type",
      message: "Content-Type: expected application/json",
    });
  }
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
}

export function tooLarge(maxBodyBytes: number): RequestRefusal {
  return new RequestRefusal({
    status: 413,
    rule: "body-size",
    message: `body: larger than ${maxBodyBytes} bytes (http.maxBodyBytes)`,
  });
}
