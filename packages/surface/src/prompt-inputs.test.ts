import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { definePack, defineTool, ToolError } from "@toolpacks/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { attach } from "./mount.ts";
import { createSurface } from "./surface.ts";

const requestedSchema = { type: "object", properties: { topic: { type: "string" } } };
const inputs = {
  topic: { method: "elicitation/create", params: { mode: "form", message: "Which topic?", requestedSchema } },
} as const;

/** A pack whose prompt and resource ask the user. */
const essays = definePack({
  name: "essays",
  description: "Writes essays.",
  budget: 200,
  prompts: () => [
    {
      name: "essay",
      description: "Writes an essay.",
      tool: "essay_write",
      arguments: [{ name: "length" }],
      async messages(_, { client }) {
        const answers = await client?.request(inputs);
        const { topic = "" } = (answers?.topic?.["content"] ?? {}) as { readonly topic?: string };
        if (topic === "") throw new ToolError("invalid_input", "topic: required");
        return [{ role: "user", content: { type: "text", text: `Write about ${topic}.` } }];
      },
    },
  ],
  resources: () => ({
    templates: [{ uriTemplate: "essay://{name}", name: "essay" }],
    owns: (uri) => uri.startsWith("essay://"),
    async read(uri, { elicit }) {
      const answer = await elicit?.({ mode: "form", message: "Password?", requestedSchema });
      return [{ uri, text: answer?.action ?? "not asked" }];
    },
  }),
  tools: () => [
    defineTool({
      name: "essay_write",
      description: "Writes.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: () => ({}),
    }),
  ],
});

interface Answer {
  readonly result?: { readonly requestState?: string; readonly [field: string]: unknown };
  readonly error?: object;
}

interface Params {
  readonly name?: string;
  readonly uri?: string;
  readonly [field: string]: unknown;
}

/** Sends requests of a 2026 client that can ask its user, over HTTP with a server per request. */
async function endpoint() {
  const surface = await createSurface({ packs: [essays()], surface: "direct" });
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1.0.0" });
    attach(server, surface);
    return server;
  });
  return async (method: string, params: Params) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": params.name ?? params.uri ?? "",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
    });
    return (await (await handler.fetch(request)).json()) as Answer;
  };
}

const accept = (topic: string) => ({ topic: { action: "accept", content: { topic } } });

test("a prompt asks the user before it is rendered", async () => {
  const send = await endpoint();
  const prompt = { name: "essay", arguments: { length: "9" } };
  const first = await send("prompts/get", prompt);
  expect(first.result).toMatchObject({ resultType: "input_required", inputRequests: inputs });
  const { requestState } = first.result ?? {};
  const other = { ...prompt, arguments: { length: "8" }, requestState, inputResponses: accept("otters") };
  expect((await send("prompts/get", other)).error).toMatchObject({ code: -32_602 });
  const second = await send("prompts/get", { ...prompt, requestState, inputResponses: accept("otters") });
  expect(second.result).toMatchObject({ messages: [{ role: "user", content: { text: "Write about otters." } }] });
});

test("the failure of a prompt after an answer is a protocol error", async () => {
  const send = await endpoint();
  const { requestState } = (await send("prompts/get", { name: "essay" })).result ?? {};
  const second = await send("prompts/get", { name: "essay", requestState, inputResponses: accept("") });
  expect(second.error).toMatchObject({ code: -32_602, message: "topic: required" });
});

test("a resource asks the user before it is read", async () => {
  const send = await endpoint();
  const { result } = await send("resources/read", { uri: "essay://a" });
  expect(result).toMatchObject({ resultType: "input_required" });
  const inputResponses = { question: { action: "decline" } };
  const second = await send("resources/read", { uri: "essay://a", requestState: result?.requestState, inputResponses });
  expect(second.result).toMatchObject({ contents: [{ uri: "essay://a", text: "decline" }] });
});
