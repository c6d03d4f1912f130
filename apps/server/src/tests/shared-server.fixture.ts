import path from "node:path";
import { Client, InMemoryTransport, type AuthInfo, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { attach } from "@toolpacks/surface";
import { onTestFinished } from "vitest";
import { folder, testIo } from "../run-cli.fixture.ts";
import type { Flags } from "../config/settings.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";

/** A server that several principals use at the same time. */
export interface SharedServer {
  readonly runtime: Runtime;
  /** Connects a principal. Without a name: the local user. */
  readonly connect: (name?: string) => Promise<Caller>;
}

/** A connection of one principal. */
export interface Caller {
  /** Calls a tool. Resolves to what the model and the client got. */
  readonly call: (name: string, args?: object) => Promise<Answer>;
  readonly client: Client;
}

export interface Answer {
  readonly isError: boolean;
  /** The text that a model reads. */
  readonly text: string;
  /** The structured result. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Everything that the client got, as JSON. */
  readonly whole: string;
}

/** Opens a server in this process, with a store of its own. */
export async function openSharedServer(flags: Flags = {}): Promise<SharedServer> {
  const runtime = await createRuntime(
    { store: path.join(folder(), "store.db"), logLevel: "silent", ...flags },
    { io: testIo().io },
  );
  onTestFinished(() => runtime.finish(0));
  return { runtime, connect: (name) => connect(runtime, name) };
}

async function connect({ surface }: Runtime, name: string | undefined): Promise<Caller> {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  if (name !== undefined) authorize(clientSide, { token: "", clientId: "shared", scopes: [], extra: { sub: name } });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return {
    client,
    async call(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: { ...args } }, { timeout: 60_000 });
      const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      const value = (result.structuredContent ?? result._meta?.["toolpacks/result"] ?? {}) as Answer["value"];
      return { isError: result.isError === true, text, value, whole: JSON.stringify(result) };
    },
  };
}

/** Sends each message with the data of an access token, as an HTTP host does. */
function authorize(transport: InMemoryTransport, authInfo: AuthInfo): void {
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) => send(message, { ...options, authInfo });
}
