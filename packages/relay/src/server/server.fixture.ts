import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { definePack, defineTool, reply, type CallToolResult, type Interceptor, type Pack } from "@toolpacks/core";
import { attach, createSurface, type Surface, type SurfaceOptions } from "@toolpacks/surface";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { serverRelay, type ServerRelayOptions } from "./server-relay.ts";

/** A surface of packs and the relay, and an interceptor around the relay. */
export async function relayedSurface(
  packs: readonly Pack[],
  relayOptions: ServerRelayOptions = {},
  { interceptors = [], twoTool, ...more }: Partial<SurfaceOptions> = {},
): Promise<Surface> {
  const relay = serverRelay(relayOptions);
  return createSurface({
    packs: [...packs, relay.pack],
    interceptors: [...interceptors, relay.interceptor],
    ...(twoTool && { twoTool: { checkHandles: relay.check, ...twoTool } }),
    ...more,
  });
}

/** A client of a surface, which is closed after the test. */
export async function connect(surface: Surface): Promise<Client> {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool of the list. */
export async function ask(
  client: Pick<Client, "callTool">,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args })) as unknown as CallToolResult;
}

export const handleIn = (value: unknown) => /relay:\/\/[a-z2-7]{20}/.exec(JSON.stringify(value))?.[0] ?? "none";

export const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n");

/** Lines that differ, so that one can be found. */
export const longText = Array.from({ length: 20_000 }, (_, at) => `entry ${at}: ${"é".repeat(at % 30)}`).join("\n");

/** Tools with every kind of large result, and a tool that records its arguments. */
export function documents(given: unknown[] = []): Pack {
  return definePack({
    name: "documents",
    description: "Documents for tests.",
    budget: 1_000,
    tools: () => [
      defineTool({
        name: "doc_read",
        description: "Read a document.",
        mutates: false,
        input: z.object({ path: z.string().max(100) }),
        output: z.object({ path: z.string(), content: z.string() }),
        text: ({ content }) => content,
        handler: ({ path }) => ({ path, content: longText }),
      }),
      defineTool({
        name: "doc_fields",
        description: "Read a document with what is known of it.",
        mutates: false,
        input: z.object({}),
        output: z.object({ author: z.string(), content: z.string(), tags: z.array(z.string()) }),
        handler: () => ({ author: "ann", content: longText, tags: ["a"] }),
      }),
      defineTool({
        name: "doc_list",
        description: "List documents.",
        mutates: false,
        input: z.object({}),
        output: z.object({ items: z.array(z.object({ id: z.int(), title: z.string() })) }),
        text: ({ items }) => items.map(({ id, title }) => `${id} ${title}`).join("\n"),
        handler: () => ({ items: Array.from({ length: 3_000 }, (_, id) => ({ id, title: `Title ${id}` })) }),
      }),
      defineTool({
        name: "doc_image",
        description: "Show a document.",
        mutates: false,
        media: true,
        input: z.object({}),
        output: z.object({}),
        handler: () =>
          reply([{ type: "image", data: Buffer.alloc(2_000_000, 7).toString("base64"), mimeType: "image/png" }]),
      }),
      defineTool({
        name: "doc_write",
        description: "Write a document.",
        mutates: true,
        input: z.object({
          content: z.string(),
          meta: z.object({ parts: z.array(z.string()) }).optional(),
          data: z.looseObject({}).optional(),
        }),
        output: z.object({ length: z.int() }),
        handler: (input) => {
          given.push(input);
          return { length: input.content.length };
        },
      }),
    ],
  })();
}

/** Notes what passes it, as traces do. */
export function recorder(): { readonly seen: unknown[]; readonly interceptor: Interceptor } {
  const seen: unknown[] = [];
  return {
    seen,
    async interceptor(call, next) {
      const outcome = await next(call);
      seen.push({ args: call.args, outcome });
      return outcome;
    },
  };
}
