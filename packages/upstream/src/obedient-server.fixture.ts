import { setTimeout as wait } from "node:timers/promises";
import { inMemory, type InMemory, type Message } from "./in-memory.fixture.ts";

/** The arguments of the tool `give`. */
export interface GiveArguments {
  /** Default: a text with the number of the instance. */
  readonly result?: object;
  readonly error?: object;
  readonly afterMs?: number;
  /** Sent before the response. */
  readonly notification?: { readonly method: string; readonly params: object };
}

const inputSchema = { type: "object", properties: { afterMs: { type: "number" } } };

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
    serverInfo: { name: "obedient", version: "1" },
  },
  "tools/list": { tools: [{ name: "give", description: "Give it.", inputSchema }] },
  "resources/list": { resources: [{ uri: "x://1", name: "one" }] },
  "resources/read": { contents: [{ uri: "x://1", text: "the first" }] },
  "prompts/list": { prompts: [{ name: "look" }] },
  "prompts/get": {
    messages: [
      { role: "user", content: { type: "text", text: "Look at it." } },
      { role: "user", content: { type: "resource_link", uri: "x://1", name: "one" } },
    ],
  },
};

/** A server in this process whose calls are answered as their arguments say. */
export function obedientServer(): InMemory {
  return inMemory(({ id: instance, send }) => {
    const give = async ({ id, params }: Message) => {
      const { result, error, afterMs = 0, notification } = (params?.arguments ?? {}) as GiveArguments;
      if (afterMs > 0) await wait(afterMs);
      if (notification !== undefined) send(notification);
      const text = { content: [{ type: "text", text: String(instance) }] };
      send(error === undefined ? { id, result: result ?? text } : { id, error });
    };
    return (request) => {
      const { id, method = "" } = request;
      if (method === "tools/call") void give(request);
      else if (answers[method] !== undefined) send({ id, result: answers[method] });
      else if (id !== undefined) send({ id, error: { code: -32_601, message: "no such method" } });
    };
  });
}
