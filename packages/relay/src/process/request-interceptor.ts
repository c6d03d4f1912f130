import { holdsHandle, ToolError } from "@toolpacks/core";
import { callFailure } from "../client/call-failure.ts";
import { isValueUri } from "../handle.ts";
import { readResource } from "../read/read-resource.ts";
import { asFields, isAbsent, type Exchange, type Fields } from "./exchange.ts";
import type { MessageInterceptor, Replacement } from "./message-pipe.ts";
import { keyOf } from "./pending-requests.ts";

/** Maximum requests that the relay answers at the same time. */
const maxRunning = 64;

/** Intercepts the client's messages: resolves handles in arguments, and answers requests about values. */
export function interceptRequests(exchange: Exchange): MessageInterceptor {
  const { pending } = exchange;
  return (request) => {
    const { id, method } = request;
    const params = asFields(request["params"]) ?? {};
    switch (method) {
      case "tools/call":
        return interceptCall(request, params, exchange);
      case "tools/list":
        pending.add(id, { method: "tools/list", isFirstPage: isAbsent(params["cursor"]) });
        return undefined;
      // The result of a task is a tool result too.
      case "tasks/result":
        pending.add(id, { method: "tools/call", tool: "" });
        return undefined;
      case "resources/read":
        return isValueUri(params["uri"]) ? answerResource(request, params["uri"], exchange) : undefined;
      case "notifications/cancelled":
        cancel(params["requestId"], exchange);
        return undefined;
      default:
        return undefined;
    }
  };
}

function cancel(id: unknown, { pending, running }: Exchange): void {
  for (const request of running) if (request.id === keyOf(id)) request.controller.abort();
  pending.take(id);
}

function interceptCall(request: Fields, params: Fields, exchange: Exchange): ReturnType<MessageInterceptor> {
  const { name, arguments: args } = params;
  const { added, tools, pending } = exchange;
  if (name === tools.readName) {
    return answer(request, exchange, async (signal) => ({ result: { ...(await added.call(args, signal)) } }));
  }
  pending.add(request["id"], { method: "tools/call", tool: String(name) });
  return holdsHandle(args) ? unboxCall(request, params, exchange) : undefined;
}

async function unboxCall(request: Fields, params: Fields, exchange: Exchange): Promise<Replacement> {
  const { relay, tools, pending, sendToClient, maxMessageBytes, onError } = exchange;
  const schema = tools.inputOf(String(params["name"]));
  try {
    const options = { maxBytes: maxMessageBytes, schema };
    return { ...request, params: { ...params, arguments: await relay.unbox(params["arguments"], options) } };
  } catch (error) {
    const { id } = request;
    pending.take(id);
    const result = completed(request, callFailure(error, onError));
    if (id !== undefined) sendToClient({ jsonrpc: "2.0", id, result });
    return "nothing";
  }
}

function answerResource(request: Fields, uri: string, exchange: Exchange): Promise<"nothing"> {
  return answer(request, exchange, async (signal) => {
    const modern = isModern(request);
    try {
      const contents = await exchange.readInTurn(async () => {
        await exchange.clientDrained();
        return readResource(exchange.relay, uri, signal);
      });
      // A value never changes, and it belongs to this client.
      return { result: { contents, ...(modern && { ttlMs: 3_600_000, cacheScope: "private" }) } };
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      return { error: { code: modern ? -32_602 : -32_002, message: error.message, data: { uri } } };
    }
  });
}

type Answer = { readonly result: Fields } | { readonly error: Fields };

/** Answers a request in place of the server. Other messages pass in the meantime. */
async function answer(
  request: Fields,
  exchange: Exchange,
  make: (signal: AbortSignal) => Promise<Answer>,
): Promise<"nothing"> {
  const { running, sendToClient, clientDrained, onError } = exchange;
  const { id } = request;
  if (id === undefined) return "nothing";
  const controller = new AbortController();
  const finish = async () => {
    const made = await make(controller.signal);
    // A client that cancelled the request expects no response.
    if (controller.signal.aborted) return;
    sendToClient({ jsonrpc: "2.0", id, ...("result" in made ? { result: completed(request, made.result) } : made) });
  };
  const done = finish().catch((error: unknown) => {
    onError(error);
    sendToClient({ jsonrpc: "2.0", id, error: { code: -32_603, message: "the value could not be read" } });
  });
  const current = { id: keyOf(id), controller, done };
  running.add(current);
  void done.then(() => running.delete(current));
  // Backpressure: waits while too many responses are pending, or the client does not read them.
  while (running.size >= maxRunning) await Promise.race([...running].map((one) => one.done));
  await clientDrained();
  return "nothing";
}

/** The 2026 protocol marks complete results. */
function completed(request: Fields, result: Fields): Fields {
  return isModern(request) ? { resultType: "complete", ...result } : result;
}

function isModern({ params }: Fields): boolean {
  return asFields(asFields(params)?.["_meta"])?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
}
