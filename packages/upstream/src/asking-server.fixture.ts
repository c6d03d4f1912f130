import { inMemory, type InMemory, type Message } from "./in-memory.fixture.ts";
/** The requests of a server during a call of its tool `go`. */
export interface AskingServer {
  /** The parameters of each `elicitation/create` request. */
  readonly questions?: readonly object[];
  /** Other requests. Default none. */
  readonly requests?: readonly object[];
  /** Whether the call is answered before the user answers. Default false: its result is the JSON of all responses. */
  readonly isHasty?: boolean;
  /** Whether the server withdraws its questions at once. Default false. */
  readonly withdraws?: boolean;
}

const serverInfo = { name: "asking", version: "1" };
const tools = ["go", "hang", "responses"].map((name) => ({ name, inputSchema: { type: "object" } }));

/** A server in this process that asks, for the options of an upstream. */
export function askingServer(server: AskingServer): InMemory {
  const { questions = [], requests = [], isHasty = false, withdraws = false } = server;
  const all = [...questions.map((params) => ({ method: "elicitation/create", params })), ...requests];
  return inMemory(({ send }) => {
    const responses: unknown[] = [];
    let call: Message["id"];
    const answer = (id: Message["id"], value: unknown) =>
      send({ id, result: { content: [{ type: "text", text: JSON.stringify(value) }] } });
    const ask = () => {
      for (const [at, one] of all.entries()) send({ id: `q${at}`, ...one });
      if (!withdraws) return;
      for (const at of all.keys()) send({ method: "notifications/cancelled", params: { requestId: `q${at}` } });
    };
    return ({ id, method, params, result, error }) => {
      if (method === "initialize") {
        send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
      } else if (method === "tools/list") send({ id, result: { tools } });
      else if (method === "tools/call" && params?.name === "responses") answer(id, responses);
      else if (method === "tools/call") {
        call = params?.name === "hang" ? undefined : id;
        ask();
        if (isHasty) setTimeout(() => answer(id, "early"), 100);
      } else if (method === undefined) {
        responses.push(result ?? error);
        if (responses.length === all.length && call !== undefined && !isHasty) answer(call, responses);
      } else if (id !== undefined) send({ id, error: { code: -32_601, message: "no such method" } });
    };
  });
}
