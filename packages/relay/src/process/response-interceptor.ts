import type { CallToolResult } from "@toolpacks/core";
import type { ForeignTool } from "../client/server-tools.ts";
import { asFields, isAbsent, type Exchange, type Fields } from "./exchange.ts";
import type { MessageInterceptor } from "./message-pipe.ts";

/** A response of the server to a pending request of the client. */
interface Answer {
  readonly response: Fields;
  readonly result: Fields;
}

/** Changes the server's messages on their way to the client: lists of tools, and results of tools. */
export function interceptResponses(exchange: Exchange): MessageInterceptor {
  return (response) => {
    // A request of the server has an id of its own.
    if ("method" in response || !("id" in response)) return undefined;
    const request = exchange.pending.take(response["id"]);
    const result = asFields(response["result"]);
    if (request === undefined || result === undefined) return undefined;
    return request.method === "tools/list"
      ? listTools({ response, result }, request.isFirstPage, exchange)
      : boxResult({ response, result }, request.tool, exchange);
  };
}

async function listTools(
  { response, result }: Answer,
  isFirst: boolean,
  { tools, added }: Exchange,
): Promise<object | undefined> {
  if (!Array.isArray(result["tools"])) return undefined;
  const page = { tools: result["tools"] as ForeignTool[], isFirst, isLast: isAbsent(result["nextCursor"]) };
  return { ...response, result: { ...result, tools: tools.take(page, (name) => added.list(name)) } };
}

async function boxResult(
  { response, result }: Answer,
  tool: string,
  { relay, tools }: Exchange,
): Promise<object | undefined> {
  const boxed = await relay.box(result as CallToolResult, tool, tools.hasOutput(tool));
  return boxed === result ? undefined : { ...response, result: boxed };
}
