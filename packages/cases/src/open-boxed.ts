import { createPack, ToolError, toCallToolResult, type CallToolResult } from "@toolpacks/core";
import { createRelay, handleModes, memoryValues, relayReadTool, type Relay } from "@toolpacks/relay";
import { opener, openTools, type OpenTools } from "./open-tools.ts";
import { packClient, type ToolClient } from "./tool-client.ts";

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
  const relay = createRelay({ values, mode: boxing });
  return openTools(relayed(client, relay, plain), async (id) => (await values.info(id)) !== undefined);
}

function relayed(client: ToolClient, relay: Relay, { listed }: OpenTools): ToolClient {
  const reader = packClient(
    createPack({
      name: "relay",
      description: "Looks into values that handles stand for.",
      budget: 150,
      tools: async () => [relayReadTool((request, { signal }) => relay.read(request, signal))],
    }),
  );
  const schemas = new Map(listed.map(({ name, inputSchema }) => [name, inputSchema]));
  return {
    ...(client.getInstructions && { getInstructions: () => client.getInstructions?.() }),
    async listTools() {
      const { tools } = await reader.listTools();
      return { tools: [...listed, ...tools] };
    },
    async callTool(call, options = {}) {
      if (call.name === opener) return reader.callTool(call, options);
      const schema = schemas.get(call.name);
      try {
        const args = await relay.unbox(call.arguments, {
          ...(schema && { schema }),
          ...(options.signal && { signal: options.signal }),
        });
        const result = await client.callTool({ ...call, arguments: args }, options);
        return await relay.box(result as CallToolResult, call.name);
      } catch (error) {
        // The call was not made: a handle leads nowhere.
        if (ToolError.is(error)) return toCallToolResult({ ok: false, failure: error }, "text");
        throw error;
      }
    },
  };
}
