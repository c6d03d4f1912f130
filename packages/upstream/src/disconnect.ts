import { setTimeout as wait } from "node:timers/promises";
import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";

/** How long a server may take to hear that its session is over. */
const farewellMs = 500;

/** Ends a connection, with the session that a server may keep for it. Never rejects. */
export async function disconnect(client: Client): Promise<void> {
  const { transport } = client;
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    await Promise.race([transport.terminateSession().catch(() => {}), wait(farewellMs, undefined, { ref: false })]);
  }
  await client.close().catch(() => {});
}
