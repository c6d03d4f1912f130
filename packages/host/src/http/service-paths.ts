import type { ServerResponse } from "node:http";
import type { Authenticator } from "@toolpacks/access";
import type { Readiness } from "./readiness.ts";
import { RequestRefusal, sendJson } from "./refusal.ts";

/** Metrics in the format of Prometheus. */
export type Metrics = () => Promise<{ readonly contentType: string; readonly body: string }>;

interface Health {
  readonly readiness: Readiness;
  readonly isDraining: () => boolean;
}

/** Answers `/healthz` and `/readyz`. Returns whether the path is one of them. */
export async function answerHealth(path: string, response: ServerResponse, health: Health): Promise<boolean> {
  if (path === "/healthz") {
    sendJson(response, { status: 200, body: { status: "ok" } });
    return true;
  }
  if (path !== "/readyz") return false;
  const reason = health.isDraining() ? "the server is shutting down" : await health.readiness.problem();
  if (reason === undefined) sendJson(response, { status: 200, body: { status: "ready" } });
  else sendJson(response, { status: 503, body: { status: "not ready", reason } });
  return true;
}

/** Answers with the metrics. */
export async function answerMetrics(response: ServerResponse, metrics: Metrics): Promise<void> {
  const { contentType, body } = await metrics();
  response.writeHead(200, { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}

/** Answers with a public document of the authenticator. Returns whether the path has one. */
export function answerDocument(
  path: string,
  response: ServerResponse,
  authenticator: Authenticator | undefined,
): boolean {
  const document = authenticator?.document?.(path);
  if (document === undefined) return false;
  sendJson(response, { status: 200, body: document });
  return true;
}

/** @throws RequestRefusal unless the request only reads */
export function checkReads(method: string | undefined): void {
  if (method === "GET" || method === "HEAD") return;
  throw new RequestRefusal({
    status: 405,
    rule: "method",
    message: "Method not allowed: read this path with GET",
    headers: { Allow: "GET, HEAD" },
    isPlain: true,
  });
}
