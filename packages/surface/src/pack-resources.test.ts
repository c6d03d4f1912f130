import { definePack, defineTool, type PackResources } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createSurface } from "./surface.ts";
import { wires } from "./wire.fixture.ts";

const resources: PackResources = {
  list: [{ uri: "notes://today", name: "today", mimeType: "text/plain" }],
  templates: [{ uriTemplate: "notes://{day}", name: "a day" }],
  owns: (uri) => uri.startsWith("notes://"),
  read: async (uri) => [{ uri, mimeType: "text/plain", text: `note of ${uri.slice("notes://".length)}` }],
};

const notes = definePack({
  name: "notes",
  description: "Keeps notes.",
  budget: 200,
  resources: () => resources,
  tools: () => [
    defineTool({
      name: "note_log",
      description: "Sends a log message.",
      mutates: false,
      input: z.object({}),
      output: z.object({ isSent: z.boolean() }),
      async handler(_, { log }) {
        await log?.("info", "a note");
        return { isSent: log !== undefined };
      },
    }),
  ],
});

describe.each(Object.entries(wires))("on %s", (name, connect) => {
  test("a pack's resources are listed and read", async () => {
    const { client } = await connect(await createSurface({ packs: [notes()] }));
    expect((await client.listResources()).resources).toEqual(resources.list);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual(resources.templates);
    const { contents } = await client.readResource({ uri: "notes://monday" });
    expect(contents).toEqual([{ uri: "notes://monday", mimeType: "text/plain", text: "note of monday" }]);
    await client.close();
  });

  test("an unknown resource gets the error of the client's protocol, with its URI", async () => {
    const { client } = await connect(await createSurface({ packs: [notes()] }));
    const error: unknown = await client.readResource({ uri: "other://x" }).catch((reason: unknown) => reason);
    // A client of the 2.x SDK turns the code of 2025 into that of 2026.
    const code = name === "sdk 1" ? -32_002 : -32_602;
    expect(error).toMatchObject({ code, data: { uri: "other://x" } });
    await client.close();
  });
});

/** Log messages that a client of the 2.x SDK gets during a call. */
async function logMessages(
  wire: keyof typeof wires,
  { level, _meta }: { readonly level?: "error"; readonly _meta?: Record<string, unknown> } = {},
): Promise<readonly unknown[]> {
  const { client } = await wires[wire](await createSurface({ packs: [notes()], surface: "direct" }));
  const messages: unknown[] = [];
  if (!("getNegotiatedProtocolVersion" in client)) throw new Error("expected a client of the 2.x SDK");
  client.setNotificationHandler("notifications/message", ({ params }) => void messages.push(params.data));
  if (level !== undefined) await client.setLoggingLevel(level);
  await client.callTool({ name: "note_log", arguments: {}, ...(_meta && { _meta }) });
  await client.close();
  return messages;
}

describe("a log message of a tool", () => {
  test("reaches a client of 2025, unless the client has set a higher level", async () => {
    const wire = "sdk 2, protocol 2025-11-25";
    expect(await logMessages(wire)).toEqual(["a note"]);
    expect(await logMessages(wire, { level: "error" })).toEqual([]);
  });

  test("reaches a client of 2026 that asks for messages of its level with the call", async () => {
    const wire = "sdk 2, protocol 2026-07-28";
    const levelKey = "io.modelcontextprotocol/logLevel";
    expect(await logMessages(wire)).toEqual([]);
    expect(await logMessages(wire, { _meta: { [levelKey]: "info" } })).toEqual(["a note"]);
    expect(await logMessages(wire, { _meta: { [levelKey]: "error" } })).toEqual([]);
  });

  test("is not sent with the 1.x SDK, which declares no logging", async () => {
    const { client } = await wires["sdk 1"](await createSurface({ packs: [notes()], surface: "direct" }));
    expect(client.getServerCapabilities()?.logging).toBeUndefined();
    expect(await client.callTool({ name: "note_log", arguments: {} })).toMatchObject({
      structuredContent: { isSent: false },
    });
    await client.close();
  });
});
