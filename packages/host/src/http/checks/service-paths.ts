import type { Authenticator } from "@toolpacks/access";
import type { HttpCheck } from "../http-check.ts";
import type { HttpObservability } from "../http-host-options.ts";
import { RequestRefusal, sendJson } from "../refusal.ts";

/** Answers `/metrics` with the metrics. @param admit the check of who may read them */
export function answerMetrics({ metrics }: Pick<HttpObservability, "metrics">, admit: HttpCheck): HttpCheck {
  return (found, next) => {
    const { path, request, response } = found;
    if (path !== "/metrics") return next();
    checkReads(request.method);
    return admit(found, async () => {
      const { contentType, body } = await metrics();
      response.writeHead(200, { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) });
      response.end(body);
    });
  };
}

/** Answers the paths of the authenticator's public documents, and refuses any other path than the endpoint's. */
export function answerDocuments(authenticator: Authenticator | undefined, endpoint: string): HttpCheck {
  return (found, next) => {
    const { path, request, response } = found;
    if (path === endpoint) {
      request.url = path;
      return next();
    }
    const body = authenticator?.document?.(path);
    if (body !== undefined) return sendJson(response, { status: 200, body });
    const message = `not found; the MCP endpoint is ${endpoint}`;
    throw new RequestRefusal({ status: 404, rule: "path", message, isPlain: true });
  };
}

/** @throws RequestRefusal unless the request only reads */
function checkReads(method: string | undefined): void {
  if (method === "GET" || method === "HEAD") return;
  const message = "Method not allowed: read this path with GET";
  throw new RequestRefusal({ status: 405, rule: "method", message, headers: { Allow: "GET, HEAD" }, isPlain: true });
}
