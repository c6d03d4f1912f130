import type { McpServer } from "@modelcontextprotocol/server";
import {
  listTool,
  renderPrompt,
  requestContext,
  toCallToolResult,
  type Catalog,
  type Dispatcher,
  type ResultsMode,
} from "@toolpacks/core";

interface ServedCatalog {
  readonly catalog: Catalog;
  readonly dispatcher: Dispatcher;
  readonly results: ResultsMode;
}

/** Serves every tool and prompt of a catalog. The surface package does this for users; it depends on this package. */
export function serveCatalog({ server }: McpServer, { catalog, dispatcher, results }: ServedCatalog): void {
  const prompts = catalog.packs.flatMap((pack) => pack.prompts ?? []);
  server.registerCapabilities({ tools: {}, prompts: {} });
  server.setRequestHandler("tools/list", async () => ({
    tools: (await catalog.entries()).map(({ tool }) => ({ ...listTool(tool, results) })) as never[],
  }));
  server.setRequestHandler("tools/call", async ({ params }, raw) => {
    const call = { name: params.name, args: params.arguments, context: requestContext(raw) };
    return { ...toCallToolResult(await dispatcher.dispatch(call), results) };
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: prompts.map(({ name, description, arguments: args }) => ({ name, description, arguments: [...args] })),
  }));
  server.setRequestHandler("prompts/get", async ({ params }, raw) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (prompt === undefined) throw new Error(`there is no prompt ${params.name}`);
    const context = { ...requestContext(raw), callOf: (tool: string) => tool };
    return { messages: (await renderPrompt(prompt, params.arguments ?? {}, context)) as never[] };
  });
}
