import type { CallToolResult } from "@toolpacks/core";
import type { ForeignTool } from "../client/server-tools.ts";
import { boxLongTexts } from "./box-long-texts.ts";
import { eachMessage, type Line, type LookAtOne } from "./each-message.ts";
import { asFields, isNone, type Exchange, type Fields } from "./exchange.ts";
import type { MessageInterceptor } from "./message-pipe.ts";
import { peekAnswer } from "./peek.ts";
import { rejectOversized, type Refusal } from "./reject-oversized.ts";

/** What becomes of a server's messages on their way to the client. */
export function interceptResponses(exchange: Exchange): MessageInterceptor {
  const { pending, onError } = exchange;
  const look = eachMessage((line) => lookAtAnswer(line, exchange));
  const refusal: Refusal = { tellSender: exchange.tellServer, onError, onAnswer: (id) => pending.take(id) };
  return (message) => {
    if (!Buffer.isBuffer(message) && message.isLost) return rejectOversized(message, refusal);
    if (pending.isEmpty) return undefined;
    if (Buffer.isBuffer(message)) {
      const id = peekAnswer(message);
      const asked = id === undefined ? undefined : pending.get(id);
      if (asked?.method === "tools/call" && message.length <= exchange.smallBytes(asked.tool)) {
        pending.take(id);
        return undefined;
      }
    }
    return look(message);
  };
}

function lookAtAnswer(line: Line, exchange: Exchange): ReturnType<LookAtOne> {
  const answer = asFields(line.message);
  // A request of the server's has an id of its own.
  if (answer === undefined || "method" in answer || !("id" in answer)) return undefined;
  const pending = exchange.pending.take(answer["id"]);
  if (pending === undefined || asFields(answer["result"]) === undefined) return undefined;
  if (pending.method === "tools/list") return listTools(line, pending.isFirstPage, exchange);
  const isSmall = line.bytes !== undefined && line.bytes <= exchange.smallBytes(pending.tool);
  return isSmall ? undefined : box(line, pending.tool, exchange);
}

async function listTools(line: Line, isFirst: boolean, exchange: Exchange): Promise<object | undefined> {
  const { answer, result } = read(line);
  const { tools } = result;
  if (!Array.isArray(tools)) return undefined;
  const page = { tools: tools as ForeignTool[], isFirst, isLast: isNone(result["nextCursor"]) };
  const listed = exchange.tools.take(page, (name) => exchange.added.list(name));
  return { ...answer, result: { ...result, tools: listed } };
}

async function box(line: Line, tool: string, { relay, tools }: Exchange): Promise<object | undefined> {
  const { answer, result } = read(line);
  let boxed = result as CallToolResult;
  let hasLongText = false;
  if (line.bytes === undefined) ({ result: boxed, hasLongText } = await boxLongTexts(boxed, tool, relay));
  if (!hasLongText) boxed = await relay.box(boxed, tool, tools.hasOutput(tool));
  return boxed === result ? undefined : { ...answer, result: boxed };
}

function read(line: Line): { answer: Fields; result: Fields } {
  const answer = line.exactly() as Fields;
  return { answer, result: answer["result"] as Fields };
}
