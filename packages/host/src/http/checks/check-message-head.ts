import type { HttpCheck } from "../http-check.ts";
import { RequestRefusal } from "../refusal.ts";

/** Checks the method and the headers of a message. */
export function checkMessageHead(maxBodyBytes: number): HttpCheck {
  return ({ request: { method, headers } }, next) => {
    if (method !== "POST") {
      const message = "Method not allowed: send messages with POST";
      throw new RequestRefusal({ status: 405, rule: "method", message, headers: { Allow: "POST" } });
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
      const message = "Content-Type: expected application/json";
      throw new RequestRefusal({ status: 415, rule: "content-type", message });
    }
    if (Number(headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
    return next();
  };
}

export function tooLarge(maxBodyBytes: number): RequestRefusal {
  return new RequestRefusal({
    status: 413,
    rule: "body-size",
    message: `body: larger than ${maxBodyBytes} bytes (http.maxBodyBytes)`,
  });
}
