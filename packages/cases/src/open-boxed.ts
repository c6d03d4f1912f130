import { handleModes, memoryValues, relayClient } from "@toolpacks/relay";
import { openTools, type OpenTools } from "./open-tools.ts";
import type { ToolClient } from "./tool-client.ts";

/** How long results travel: whole, or as handles in one of the relay's forms. */
export const boxings = ["off", ...handleModes] as const;

export type Boxing = (typeof boxings)[number];

/**
 * Asks a client for its tools, with a relay of their own around them. A server that has `relay_read` keeps long values apart
 * by itself, and is left to it.
 */
export async function openBoxed(client: ToolClient, boxing: Boxing): Promise<OpenTools> {
  const plain = await openTools(client);
  if (boxing === "off" || plain.hasHandles) return plain;
  const values = memoryValues();
  return openTools(relayClient(client, { values, mode: boxing }), async (id) => (await values.info(id)) !== undefined);
}
