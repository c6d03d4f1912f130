import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Handle } from "./http.fixture.ts";

interface BareSite {
  readonly handle: Handle;
  /** Drops the sessions. */
  readonly forget: () => void;
  /** The called tools, in order. */
  readonly calls: readonly string[];
}

interface Lost {
  readonly status: number;
  readonly words: string;
}

interface Request {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

const tools = ["say", "slow", "page", "403", "429", "500"].map((name) => ({ name, inputSchema: { type: "object" } }));
const greeting = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "bare", version: "1" },
};

function answer(response: ServerResponse, id: number | undefined, result: object): void {
  response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

/**
 * A server with sessions, in plain JSON-RPC. A tool named by a number is answered with that HTTP status, `page` with HTML, `slow` after 300 ms,
 * and any other at once. An unknown session is answered with `lost`.
 */
export function bareSite(lost: Lost = { status: 404, words: "" }): BareSite {
  const sessions = new Set<string>();
  const calls: string[] = [];
  const handle: Handle = async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || "{}") as Request;
    if (method === "initialize") {
      const session = crypto.randomUUID();
      sessions.add(session);
      return answer(response.setHeader("mcp-session-id", session), id, greeting);
    }
    if (method === undefined || method === "server/discover") return void response.writeHead(405).end();
    if (!sessions.has(String(request.headers["mcp-session-id"])))
      return void response.writeHead(lost.status).end(lost.words);
    if (method === "tools/list") return answer(response, id, { tools });
    if (method !== "tools/call") return void response.writeHead(202).end();
    const { name = "" } = params ?? {};
    calls.push(name);
    return call(name, id, response);
  };
  return { handle, forget: () => sessions.clear(), calls };
}

async function call(name: string, id: number | undefined, response: ServerResponse): Promise<void> {
  if (Number(name) > 0) return void response.writeHead(Number(name)).end("for a reason");
  if (name === "page") return void response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  if (name === "slow") await new Promise((resolve) => setTimeout(resolve, 300));
  answer(response, id, { content: [{ type: "text", text: `bare ${name}` }] });
}
