import { inMemory, type InMemory } from "./in-memory.fixture.ts";

/** The lists of a hostile server, and what it does when a tool is called. */
export interface HostileServer {
  readonly tools?: readonly unknown[];
  readonly prompts?: readonly unknown[];
  readonly resources?: readonly unknown[];
  readonly resourceTemplates?: readonly unknown[];
  readonly serverInfo?: object;
  readonly instructions?: string;
  /** Sent before a call is answered. */
  readonly messages?: readonly object[];
  /** Default: a text "ok". */
  readonly result?: object;
  /** In place of a result. */
  readonly error?: object;
}

const capabilities = { tools: {}, prompts: {}, resources: {} };
const ok = { content: [{ type: "text", text: "ok" }] };

/** A hostile server in this process, for the options of an upstream. */
export function hostileServer({
  serverInfo = { name: "hostile", version: "1" },
  instructions,
  messages = [],
  result = ok,
  error,
  tools = [{ name: "go", inputSchema: { type: "object" } }],
  ...lists
}: HostileServer): InMemory {
  return inMemory(({ send }) => ({ id, method = "" }) => {
    const list = /^(tools|prompts|resources)\/(templates\/)?list$/.exec(method);
    const key = list?.[2] === undefined ? list?.[1] : "resourceTemplates";
    if (method === "initialize") {
      send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo, instructions } });
    } else if (key !== undefined) {
      send({ id, result: { [key]: { tools, ...lists }[key as keyof typeof lists] ?? [] } });
    } else if (method === "tools/call") {
      for (const message of messages) send(message);
      send(error === undefined ? { id, result } : { id, error });
    } else if (id !== undefined && method !== "") send({ id, error: { code: -32_601, message: "no such method" } });
  });
}
