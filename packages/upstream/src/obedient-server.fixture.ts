// An MCP server over stdio, in plain JSON-RPC, whose calls are answered as their arguments say.
import { createInterface } from "node:readline";

/** The arguments of the tool `give`. */
export interface GiveArguments {
  /** Default: a text with the process id. */
  readonly result?: object;
  readonly error?: object;
  readonly afterMs?: number;
  /** Sent before the response. */
  readonly notification?: { readonly method: string; readonly params: object };
  /** Written to stderr before the response. */
  readonly words?: string;
  /** Exit code of a server that ends without a response. */
  readonly exit?: number;
}

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: GiveArguments };
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
    serverInfo: { name: "obedient", version: "1" },
  },
  "tools/list": { tools: [{ name: "give", description: "Give it.", inputSchema: { type: "object" } }] },
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

async function give({ id, params }: Request): Promise<void> {
  const { result, error, afterMs = 0, notification, words, exit } = params?.arguments ?? {};
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  if (notification !== undefined) send(notification);
  if (words !== undefined) process.stderr.write(`${words}\n`);
  if (exit !== undefined) process.exit(exit);
  if (error === undefined) send({ id, result: result ?? { content: [{ type: "text", text: String(process.pid) }] } });
  else send({ id, error });
}

const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0));
lines.on("line", (line) => {
  const request = JSON.parse(line) as Request;
  const { id, method } = request;
  if (method === "tools/call") void give(request);
  else if (answers[method] !== undefined) send({ id, result: answers[method] });
  else if (id !== undefined) send({ id, error: { code: -32_601, message: "no such method" } });
});
