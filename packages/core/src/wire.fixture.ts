import { Client as SecondClient, InMemoryTransport as SecondTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as FirstTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as SecondServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import type { Pack, RegisterOptions } from "./pack.ts";

const name = { name: "test", version: "1.0.0" };

/** Connects a client to a server of each SDK and protocol version. The server has a tool `own` and the registered pack. */
export const wires = {
  "sdk 1": connectFirst,
  "sdk 2, protocol 2025": (pack: Pack, options?: RegisterOptions) => connectSecond(pack, options),
  "sdk 2, protocol 2026-07-28": (pack: Pack, options?: RegisterOptions) => connectSecond(pack, options, "2026-07-28"),
} as const;

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

async function connectFirst(pack: Pack, options?: RegisterOptions) {
  const server = new FirstServer(name);
  server.registerTool("own", { description: "The server's own.", inputSchema: z.object({}) }, () => ownResult());
  await pack.registerWith(server, options);
  const [clientSide, serverSide] = FirstTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new FirstClient(name);
  await client.connect(clientSide);
  return {
    list: async () => (await client.listTools()).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (prompt: string, args?: Record<string, string>) =>
      (await client.getPrompt({ name: prompt, ...(args && { arguments: args }) })).messages,
    call: (tool: string, args: Record<string, unknown>, callOptions: CallOptions = {}) =>
      client.callTool({ name: tool, arguments: args }, undefined, callOptions),
    close: () => client.close(),
  };
}

async function connectSecond(pack: Pack, options?: RegisterOptions, pin?: string) {
  const [clientSide, serverSide] = SecondTransport.createLinkedPair();
  serveStdio(
    async () => {
      const server = new SecondServer(name);
      server.registerTool("own", { description: "The server's own.", inputSchema: z.object({}) }, () => ownResult());
      await pack.registerWith(server, options);
      return server;
    },
    { transport: serverSide },
  );
  const client = new SecondClient(name, pin === undefined ? {} : { versionNegotiation: { mode: { pin } } });
  await client.connect(clientSide);
  return {
    list: async () => (await client.listTools()).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: async (prompt: string, args?: Record<string, string>) =>
      (await client.getPrompt({ name: prompt, ...(args && { arguments: args }) })).messages,
    call: (tool: string, args: Record<string, unknown>, callOptions: CallOptions = {}) =>
      client.callTool({ name: tool, arguments: args }, callOptions),
    close: () => client.close(),
  };
}

function ownResult() {
  return { content: [{ type: "text" as const, text: "own" }] };
}
