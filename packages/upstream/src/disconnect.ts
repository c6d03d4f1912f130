import { setTimeout as wait } from "node:timers/promises";
import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";

/** Time allowed for a server to acknowledge the end of its session. */
const endSessionMs = 500;

/** Ends a connection, with the session that a server may keep for it. Never rejects. */
export async function disconnect(client: Client): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport) await endSession(transport, endSessionMs);
  await client.close().catch(() => {});
}

/** Tells a server that its session is over, and waits for its answer for `timeoutMs` at most. Never rejects. */
export async function endSession(transport: StreamableHTTPClientTransport, timeoutMs: number): Promise<void> {
  if (transport.sessionId === undefined) return;
  await Promise.race([transport.terminateSession().catch(() => {}), wait(timeoutMs, undefined, { ref: false })]);
}
