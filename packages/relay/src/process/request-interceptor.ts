import { holdsHandle, ToolError, type JsonSchema } from "@toolpacks/core";
import { failureOf } from "../client/failure-of.ts";
import { isValueUri } from "../client/value-uri.ts";
import { parseHandle } from "../handle.ts";
import { readResource } from "../read/read-resource.ts";
import { eachMessage, type Line, type LookAtOne } from "./each-message.ts";
import { asFields, isNone, type Exchange, type Fields } from "./exchange.ts";
import type { MessageInterceptor } from "./message-pipe.ts";
import { LongText } from "./long-text.ts";
import { peekCall } from "./peek.ts";
import { keyOf } from "./pending-requests.ts";
import { rejectOversized } from "./reject-oversized.ts";

/** A value this large goes into arguments without being in memory. */
const longBytes = 256 * 1024;

/** What becomes of a client's messages on their way to the server. */
export function interceptRequests(exchange: Exchange): MessageInterceptor {
  const lookAtOne: LookAtOne = (line) => {
    const request = asFields(line.message);
    const params = asFields(request?.["params"]) ?? {};
    switch (request?.["method"]) {
      case "tools/call":
        return lookAtCall(line, { request, params }, exchange);
      case "tools/list":
        exchange.pending.add(request["id"], { method: "tools/list", isFirstPage: isNone(params["cursor"]) });
        return undefined;
      // What a task came to is a tool's result as well.
      case "tasks/result":
        exchange.pending.add(request["id"], { method: "tools/call", tool: "" });
        return undefined;
      case "resources/read":
        return isValueUri(params["uri"]) ? answerResource(line, params["uri"], exchange) : undefined;
      case "notifications/cancelled":
        exchange.running.get(keyOf(params["requestId"]))?.controller.abort();
        exchange.pending.take(params["requestId"]);
        return undefined;
      default:
        return undefined;
    }
  };
  const look = eachMessage(lookAtOne);
  const { tools, pending, tell, onError } = exchange;
  return (message) => {
    if (!Buffer.isBuffer(message) && message.isLost) return rejectOversized(message, { tellSender: tell, onError });
    const call = Buffer.isBuffer(message) ? peekCall(message) : undefined;
    if (call === undefined || call.tool === tools.readName) return look(message);
    pending.add(call.id, { method: "tools/call", tool: call.tool });
    return undefined;
  };
}

type Called = { readonly request: Fields; readonly params: Fields };

function lookAtCall(line: Line, { request, params }: Called, exchange: Exchange): ReturnType<LookAtOne> {
  const { name, arguments: args } = params;
  const { added, tools, pending } = exchange;
  if (name === tools.readName) {
    return answer(line, exchange, async (signal) => ({ result: { ...(await added.call(args, signal)) } }));
  }
  pending.add(request["id"], { method: "tools/call", tool: String(name) });
  return holdsHandle(args) ? unboxCall(line, String(name), exchange) : undefined;
}

async function unboxCall(line: Line, tool: string, exchange: Exchange): Promise<object | "nothing"> {
  const { relay, tools, pending, tell } = exchange;
  const request = line.exactly() as Fields;
  const params = request["params"] as Fields;
  const schema = tools.inputOf(tool);
  const standIn = createStandIn(relay);
  try {
    const args = await relay.unbox(params["arguments"], { standIn, ...(schema && { schema }) });
    return { ...request, params: { ...params, arguments: args } };
  } catch (error) {
    pending.take(request["id"]);
    const { id } = request;
    const result = completed(request, failureOf(error, exchange.onError));
    if (id !== undefined) tell({ jsonrpc: "2.0", id, result });
    return "nothing";
  }
}

function createStandIn({ values }: Exchange["relay"]) {
  return async (id: string, schema: JsonSchema | undefined) => {
    const type = schema?.["type"];
    const isText = type === undefined || (Array.isArray(type) ? type.includes("string") : type === "string");
    const info = isText ? await values.info(id) : undefined;
    if (info === undefined || !info.text || info.size < longBytes) return undefined;
    return LongText.ofUtf8(() => values.read(id), info.size);
  };
}

function answerResource(line: Line, uri: string, exchange: Exchange): ReturnType<LookAtOne> {
  return answer(line, exchange, async (signal) => {
    const modern = isModern(line.exactly() as Fields);
    try {
      const contents = await contentsOf(uri, exchange.relay, signal);
      // The same for as long as it is there, and nobody else's.
      return { result: { contents, ...(modern && { ttlMs: 3_600_000, cacheScope: "private" }) } };
    } catch (error) {
      if (!ToolError.is(error)) throw error;
      return { error: { code: modern ? -32_602 : -32_002, message: error.message, data: { uri } } };
    }
  });
}

/** A whole text may be of any size. */
async function contentsOf(uri: string, relay: Exchange["relay"], signal: AbortSignal): Promise<readonly unknown[]> {
  const { id, range } = parseHandle(uri);
  const text = range === undefined ? await createStandIn(relay)(id, undefined) : undefined;
  if (text === undefined) return readResource(relay, uri, signal);
  return [{ uri, mimeType: (await relay.values.info(id))?.mimeType, text }];
}

type Answer = { readonly result: Fields } | { readonly error: Fields };

/** Answers a request in the server's place, while others pass. */
async function answer(
  line: Line,
  exchange: Exchange,
  make: (signal: AbortSignal) => Promise<Answer>,
): Promise<"nothing"> {
  const { running, tell, onError } = exchange;
  const request = line.exactly() as Fields;
  const { id } = request;
  if (id === undefined) return "nothing";
  const controller = new AbortController();
  const finish = async () => {
    const made = await make(controller.signal);
    // Whoever cancelled a request waits for nothing.
    if (controller.signal.aborted) return;
    tell({ jsonrpc: "2.0", id, ...("result" in made ? { result: completed(request, made.result) } : made) });
  };
  const done = finish()
    .catch((error: unknown) => {
      onError(error);
      tell({ jsonrpc: "2.0", id, error: { code: -32_603, message: "the value could not be read" } });
    })
    .finally(() => running.delete(keyOf(id)));
  running.set(keyOf(id), { controller, done });
  exchange.answering.add(done);
  void done.then(() => exchange.answering.delete(done));
  await hasRoom(exchange);
  return "nothing";
}

/** Answers that are made at once. */
const maxAnswering = 64;

/** Holds the client's next messages back while many answers are being made, or wait for the client to read them. */
async function hasRoom({ answering, drained }: Exchange): Promise<void> {
  while (answering.size >= maxAnswering) await Promise.race(answering);
  await drained();
}

/** Clients of 2026 want to be told that nothing is left to be asked. */
function completed(request: Fields, result: Fields): Fields {
  return isModern(request) ? { resultType: "complete", ...result } : result;
}

function isModern({ params }: Fields): boolean {
  return asFields(asFields(params)?.["_meta"])?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
}
