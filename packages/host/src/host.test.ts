import { setImmediate } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, Server, type McpHttpHandler } from "@modelcontextprotocol/server";
import { definePack, defineTool } from "@toolpacks/core";
import { attach, createSurface, type Surface } from "@toolpacks/surface";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import type { Principal } from "@toolpacks/access";
import type { SurfaceFor } from "./served-surface.ts";
import { replaceableSurface, type ReplaceableSurface } from "./replaceable-surface.ts";

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
});

/** A surface with one tool, which answers its own name. */
function surfaceOf(tool: string): Promise<Surface> {
  const pack = definePack({
    name: "sample",
    description: "One tool.",
    budget: 100,
    tools: () => [
      defineTool({
        name: tool,
        description: "Say the name of the tool.",
        mutates: false,
        input: z.object({}),
        output: z.object({ name: z.string() }),
        handler: () => ({ name: tool }),
      }),
    ],
  });
  return createSurface({ packs: [pack()], surface: "direct" });
}

/** A host for many principals, with a server object for each request, as over HTTP. */
function perRequestHost(principals: readonly Principal[]) {
  const handlers = new Map<string, McpHttpHandler>();
  let servers = 0;
  const host = {
    async start(surfaceFor: SurfaceFor) {
      const ended = Promise.withResolvers<void>();
      for (const principal of principals) {
        const served = await surfaceFor(principal);
        const handler = createMcpHandler(() => {
          servers += 1;
          const server = new Server({ name: principal.id, version: "1" });
          attach(server, served.current(), { listChanged: served.mayChange });
          return server;
        });
        served.watch(async () => handler.notify.toolsChanged());
        handlers.set(principal.id, handler);
      }
      return {
        ended: ended.promise,
        async close() {
          await Promise.all([...handlers.values()].map((one) => one.close()));
          ended.resolve();
        },
      };
    },
  };
  return { host, handlers, servers: () => servers };
}

/** Connects a client whose requests carry this principal. */
async function connect(handler: McpHttpHandler | undefined) {
  const seen: string[][] = [];
  const client = new Client(
    { name: "t", version: "1" },
    {
      versionNegotiation: { mode: { pin: "2026-07-28" } },
      listChanged: { tools: { onChanged: (_, tools) => void seen.push((tools ?? []).map(({ name }) => name)) } },
    },
  );
  const fetch = async (url: string | URL, init?: RequestInit) =>
    (await handler?.fetch(new Request(url, init))) ?? Response.error();
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  closing.push(client);
  const names = async () => (await client.listTools(undefined, { cacheMode: "bypass" })).tools.map(({ name }) => name);
  return { client, names, seen };
}

test("a host serves each principal its own surface, and notifies only the principals whose surface changed", async () => {
  const [ada, bob] = ["ada", "bob"].map((id): Principal => ({ id, access: { grants: [{}] } }));
  const surfaces = new Map<string, ReplaceableSurface>();
  for (const { id } of [ada, bob] as Principal[]) {
    surfaces.set(id, replaceableSurface(await surfaceOf(`${id}_say`), { mayChange: true }));
  }
  const { host, handlers, servers } = perRequestHost([ada, bob] as Principal[]);
  const running = await host.start(async ({ id }) => {
    const own = surfaces.get(id);
    if (own === undefined) throw new Error(`the principal ${id} has no rights`);
    return own.served;
  });
  closing.push(running);
  const ofAda = await connect(handlers.get("ada"));
  const ofBob = await connect(handlers.get("bob"));
  expect(await ofAda.names()).toEqual(["ada_say"]);
  expect(await ofBob.names()).toEqual(["bob_say"]);
  expect(await ofAda.client.callTool({ name: "bob_say", arguments: {} })).toMatchObject({ isError: true });

  await surfaces.get("bob")?.replace(await surfaceOf("bob_shout"));
  await expect.poll(() => ofBob.seen).toEqual([["bob_shout"]]);
  expect(await ofBob.names()).toEqual(["bob_shout"]);
  expect(await ofBob.client.callTool({ name: "bob_shout", arguments: {} })).toMatchObject({
    structuredContent: { name: "bob_shout" },
  });
  expect(await ofAda.names()).toEqual(["ada_say"]);
  expect(ofAda.seen).toEqual([]);
  expect(servers()).toBeGreaterThan(4);
});

test("a surface is replaced on every connection, also if one connection fails", async () => {
  const { served, replace } = replaceableSurface(await surfaceOf("first"), { mayChange: true });
  const seen: Surface[] = [];
  served.watch(() => Promise.reject(new Error("closed")));
  served.watch(async (next) => {
    await setImmediate();
    seen.push(next);
  });
  const stop = served.watch(async () => {
    throw new Error("not stopped");
  });
  stop();
  const next = await surfaceOf("second");
  await expect(replace(next)).rejects.toThrow("closed");
  expect(seen).toHaveLength(1);
  expect(seen[0]).toBe(served.current());
  expect(served.current().catalog).toBe(next.catalog);
});

test("a surface that looks the same to a client takes the place of the previous one, and no listener is called", async () => {
  const { served, replace } = replaceableSurface(await surfaceOf("say"), { mayChange: true });
  const seen: Surface[] = [];
  served.watch(async (next) => seen.push(next));
  const shown = served.current();
  const next = await surfaceOf("say");
  await replace(next);
  expect(seen).toEqual([]);
  expect(served.current()).toBe(shown);
  expect(shown.catalog).toBe(next.catalog);
});
