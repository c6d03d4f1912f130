import { withTimeout } from "@toolpacks/core";
import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";

/** Time allowed for a server to acknowledge the end of its session. */
const endSessionMs = 500;

/** Closes a connection and ends its session at the server. Never rejects. */
export async function disconnect(client: Client): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    const ended = transport.terminateSession().catch(() => {});
    await withTimeout(ended, { ms: endSessionMs, onTimeout: () => {} });
  }
  await client.close().catch(() => {});
}
