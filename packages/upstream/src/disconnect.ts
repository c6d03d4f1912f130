import { withTimeout } from "@toolpacks/core";
import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";

/** Time allowed for a server to acknowledge the end of its session. */
const endSessionMs = 500;

/** Closes a connection and ends its session at the server. Never rejects. */
export async function disconnect(client: Client): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport) await endSession(transport, endSessionMs);
  await client.close().catch(() => {});
}

/** Ends a session at the server. Waits at most `timeoutMs` for the response. Never rejects. */
export async function endSession(transport: StreamableHTTPClientTransport, timeoutMs: number): Promise<void> {
  if (transport.sessionId === undefined) return;
  const ended = transport.terminateSession().catch(() => {});
  await withTimeout(ended, { ms: timeoutMs, onTimeout: () => {} });
}
