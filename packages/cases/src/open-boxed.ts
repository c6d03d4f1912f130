import { handleModes, memoryValues, relayClient } from "@toolpacks/relay";
import { openTools, type OpenTools } from "./open-tools.ts";
import type { ToolClient } from "./tool-client.ts";

/** The forms of long results: in full (`off`), or as handles in a form of the relay. */
export const boxings = ["off", ...handleModes] as const;

export type Boxing = (typeof boxings)[number];

/**
 * Opens a client's tools behind a relay of their own. A server with `relay_read` makes handles itself and gets no relay.
 */
export async function openBoxed(client: ToolClient, boxing: Boxing): Promise<OpenTools> {
  const plain = await openTools(client);
  if (boxing === "off" || plain.hasHandles) return plain;
  const values = memoryValues();
  return openTools(relayClient(client, { values, mode: boxing }), async (id) => (await values.info(id)) !== undefined);
}
