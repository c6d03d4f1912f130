import {
  createCatalog,
  createDispatcher,
  createPack,
  listTool,
  toCallToolResult,
  type CallToolResult,
  type JsonSchema,
  type ListedTool,
  type Tool,
} from "@toolpacks/core";
import type { Relay } from "../create-relay.ts";
import { relayReadTool } from "../relay-read.ts";

/** `relay_read` beside another server's tools. */
export interface AddedTool {
  /** The tool as listed, under a name that the server does not use. */
  list(name: string): ListedTool;
  /** Never rejects: a failure is a result. */
  call(args: unknown, signal?: AbortSignal): Promise<CallToolResult>;
}

/** Creates the tool for one relay. */
export function createAddedTool(relay: Relay): AddedTool {
  const tool = relayReadTool((request, { signal }) => relay.read(request, signal));
  const pack = createPack({ name: "relay", description: "Large values.", budget: 300, tools: async () => [tool] });
  const dispatcher = createDispatcher(createCatalog({ packs: [pack] }));
  return {
    list: (name) => ({ ...listTool(tool, "text"), inputSchema: describedInput(tool), name }),
    async call(args, signal) {
      const outcome = await dispatcher.dispatch({ name: tool.name, args, ...(signal && { context: { signal } }) });
      return toCallToolResult(outcome, "text");
    },
  };
}

/** The listed schema with detailed descriptions, since there is no `tool_describe` here. */
function describedInput({ input }: Tool): JsonSchema {
  const listed = input.json();
  const [fields, full] = [listed, input.full()].map(({ properties }) => properties as Record<string, JsonSchema>);
  const properties = Object.entries(fields ?? {}).map(([name, field]) => {
    const description = full?.[name]?.["description"];
    return [name, { ...field, ...(description !== undefined && { description }) }];
  });
  return { ...listed, properties: Object.fromEntries(properties) as unknown };
}
