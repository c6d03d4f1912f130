export type Message = Readonly<Record<string, unknown>>;

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

/** The fields of a tool call. */
interface HttpCall extends Message {
  readonly name: string;
}

export interface CallOptions {
  /** The `sub` of the caller's token. Default: a caller without a token. */
  readonly sub?: string;
  readonly signal?: AbortSignal;
}

/** Calls a tool over HTTP as a client of 2026, and resolves to the response. */
export async function callOver(url: string, call: HttpCall, { sub, signal }: CallOptions = {}): Promise<Message> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { ...headersOf("tools/call"), "mcp-name": call.name, ...(sub !== undefined && { "x-sub": sub }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...call, _meta: meta } }),
    ...(signal && { signal }),
  });
  return (await response.json()) as Message;
}

/** Opens a stream of `subscriptions/listen`. Resolves when it is acknowledged. `received` grows with each notification. */
export async function listenOver(url: string, notifications: Message) {
  const leave = new AbortController();
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: headersOf("subscriptions/listen"),
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "listen",
      method: "subscriptions/listen",
      params: { notifications, _meta: meta },
    }),
    signal: leave.signal,
  });
  const received: string[] = [];
  const { promise: acknowledged, resolve } = Promise.withResolvers<void>();
  const read = async () => {
    let text = "";
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines.filter((one) => one.startsWith("data:"))) {
        const { method, params } = JSON.parse(line.slice(5)) as { method?: string; params?: { uri?: string } };
        if (method?.endsWith("acknowledged") === true) resolve();
        else if (method !== undefined)
          received.push([method.replace("notifications/", ""), params?.uri].join(" ").trim());
      }
    }
  };
  read().catch(() => {});
  await acknowledged;
  return { received, close: () => leave.abort() };
}

function headersOf(method: string): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
  };
}
