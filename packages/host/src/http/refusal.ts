import type { IncomingMessage, ServerResponse } from "node:http";

/** JSON-RPC error codes of refusals. */
export const errorCodes = {
  refused: -32_000,
  parse: -32_700,
  invalid: -32_600,
  invalidParams: -32_602,
  headerMismatch: -32_020,
} as const;

export interface RefusalOptions {
  readonly status: number;
  /** A short stable name of the rule that refuses, for metrics. */
  readonly rule: string;
  readonly message: string;
  /** JSON-RPC error code. Default -32000. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the body is short JSON instead of a JSON-RPC error, as for refusals of credentials. Default false. */
  readonly isPlain?: boolean;
  /** Id of the JSON-RPC request. Default null. */
  readonly id?: string | number | null;
}

/** A request that is answered without the SDK. The checks throw it. */
export class RequestRefusal extends Error {
  readonly options: RefusalOptions;

  constructor(options: RefusalOptions) {
    super(options.message);
    this.options = options;
  }
}

/** A refusal that the client may repeat later. */
export function retryLater(
  options: Pick<RefusalOptions, "status" | "rule" | "message" | "id">,
  retryAfterMs: number,
): RequestRefusal {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new RequestRefusal({ ...options, headers: { "Retry-After": String(seconds) } });
}

/** Maximum bytes of an unread body that are read and dropped to keep the connection. */
const maxDroppedBytes = 65_536;

export function sendRefusal(request: IncomingMessage, response: ServerResponse, options: RefusalOptions): void {
  const { status, message, code = errorCodes.refused, headers, isPlain = false, id = null } = options;
  const body = isPlain ? { error: message } : { jsonrpc: "2.0", error: { code, message }, id };
  const closes = !request.complete && !(Number(request.headers["content-length"] ?? Number.NaN) <= maxDroppedBytes);
  sendJson(response, {
    status,
    body,
    headers: { ...headers, ...(closes && hasBody(request) && { Connection: "close" }) },
  });
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export function sendJson(response: ServerResponse, { status, body, headers = {} }: JsonAnswer): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    ...headers,
  });
  response.end(text);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
}
