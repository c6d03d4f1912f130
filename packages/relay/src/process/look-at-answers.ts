import type { CallToolResult } from "@toolpacks/core";
import type { ForeignTool } from "../client/server-tools.ts";
import { boxLongTexts } from "./box-long-texts.ts";
import { eachMessage, type Line, type LookAtOne } from "./each-message.ts";
import { asFields, isNone, type Exchange, type Fields } from "./exchange.ts";
import type { Look } from "./lane.ts";
import { isTooDeep, tooDeep, writeMessage, type LongMessage } from "./message.ts";
import { peekEnds } from "./peek-ends.ts";
import { peekAnswer } from "./peek.ts";
import type { Pending } from "./pending-requests.ts";
import { refuseLost, type Refusal } from "./refuse-lost.ts";

/** What becomes of a server's messages on their way to the client. */
export function lookAtAnswers(exchange: Exchange): Look {
  const { pending, onError } = exchange;
  const look = eachMessage((line) => lookAtAnswer(line, exchange));
  const refusal: Refusal = { tellSender: exchange.tellServer, onError, onAnswer: (id) => pending.take(id) };
  return (message) => {
    if (!Buffer.isBuffer(message) && message.isLost) return refuseLost(message, refusal);
    if (pending.isEmpty) return undefined;
    if (!Buffer.isBuffer(message) && isTooDeep(message)) return refuseDeep(message, exchange);
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
  if (pending.method === "tools/call") {
    const isSmall = line.bytes !== undefined && line.bytes <= exchange.smallBytes(pending.tool);
    if (isSmall) return undefined;
  }
  if (line.isTooDeep()) return Promise.resolve(deepError(answer["id"], pending));
  return pending.method === "tools/list"
    ? listTools(line, pending.isFirstPage, exchange)
    : box(line, pending.tool, exchange);
}

/** What a client gets in place of an answer that is nested too deep. */
function deepError(id: unknown, pending: Pending): object {
  const what = pending.method === "tools/list" ? "list of tools" : `result of ${JSON.stringify(pending.tool)}`;
  return { jsonrpc: "2.0", id, error: { code: -32_603, message: `the ${what} is ${tooDeep}` } };
}

/** A long answer is known by its ends. What is no answer to a pending request goes on as it came. */
function refuseDeep({ ends }: LongMessage, { pending }: Exchange): ReturnType<Look> {
  const peeked = peekEnds(ends);
  const asked = peeked === undefined || peeked.isRequest ? undefined : pending.take(peeked.id);
  return asked && Promise.resolve(writeMessage(deepError(peeked?.id, asked)));
}

async function listTools(line: Line, isFirst: boolean, exchange: Exchange): Promise<object | undefined> {
  const { answer, result } = read(line);
  const { tools } = result;
  if (!Array.isArray(tools)) return undefined;
  const valid = tools.filter((tool: unknown): tool is ForeignTool => invalidTool(tool) === undefined);
  if (valid.length < tools.length) exchange.onError(new Error(leftOutMessage(tools)));
  const page = { tools: valid, isFirst, isLast: isNone(result["nextCursor"]) };
  const listed = exchange.tools.take(page, (name) => exchange.added.list(name));
  return { ...answer, result: { ...result, tools: listed } };
}

/** Items of a list that are named when they are left out. */
const maxNamed = 10;
const maxNameCharacters = 100;

function leftOutMessage(tools: readonly unknown[]): string {
  const reasons = tools.flatMap((tool, at) => {
    const reason = invalidTool(tool);
    return reason === undefined ? [] : [`tools[${at}]: ${reason}`];
  });
  const more = reasons.length > maxNamed ? [`and ${reasons.length - maxNamed} more`] : [];
  return `tools/list: left out ${[...reasons.slice(0, maxNamed), ...more].join("; ")}`;
}

/** Why clients would refuse the whole list for a tool. */
function invalidTool(tool: unknown): string | undefined {
  const fields = asFields(tool);
  if (fields === undefined) return "expected an object";
  const { name } = fields;
  if (typeof name !== "string") return "name: expected a string";
  const schema = ["inputSchema", "outputSchema"].find((key) => !isNone(fields[key]) && !asFields(fields[key]));
  return schema && `${schema} of ${JSON.stringify(name.slice(0, maxNameCharacters))}: expected an object`;
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
