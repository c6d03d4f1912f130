import type { CallToolResult } from "@toolpacks/core";
import type { ForeignTool } from "../client/server-tools.ts";
import { asFields, isAbsent, type Exchange, type Fields } from "./exchange.ts";
import type { MessageInterceptor } from "./message-pipe.ts";

/** A response of the server to a pending request of the client. */
interface Answer {
  readonly response: Fields;
  readonly result: Fields;
}

/** Intercepts the server's messages: lists of tools, and results of tools. */
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
  { tools, added, onError }: Exchange,
): Promise<object | undefined> {
  const listed = result["tools"];
  if (!Array.isArray(listed)) return undefined;
  const valid = listed.filter((tool: unknown): tool is ForeignTool => invalidTool(tool) === undefined);
  if (valid.length < listed.length) onError(new Error(leftOutMessage(listed)));
  const page = { tools: valid, isFirst, isLast: isAbsent(result["nextCursor"]) };
  return { ...response, result: { ...result, tools: tools.take(page, (name) => added.list(name)) } };
}

/** Maximum items of a list that an error names. */
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

/** Why a tool is invalid. Clients would reject the whole list because of it. */
function invalidTool(tool: unknown): string | undefined {
  const fields = asFields(tool);
  if (fields === undefined) return "expected an object";
  const { name } = fields;
  if (typeof name !== "string") return "name: expected a string";
  const schema = ["inputSchema", "outputSchema"].find((key) => !isAbsent(fields[key]) && !asFields(fields[key]));
  return schema && `${schema} of ${JSON.stringify(name.slice(0, maxNameCharacters))}: expected an object`;
}

async function boxResult(
  { response, result }: Answer,
  tool: string,
  { relay, tools, onError }: Exchange,
): Promise<object | undefined> {
  const { content } = result;
  const valid = Array.isArray(content) ? content.filter(isBlock) : content;
  const isWhole = !Array.isArray(content) || content.length === (valid as readonly unknown[]).length;
  if (!isWhole) onError(new Error(`${tool.slice(0, maxNameCharacters)}: left out blocks that are no content of MCP`));
  const usable = isWhole ? result : { ...result, content: valid };
  const boxed = await relay.box(usable as CallToolResult, tool, tools.hasOutput(tool));
  return boxed === result ? undefined : { ...response, result: boxed };
}

function isBlock(block: unknown): boolean {
  const { type, text, data, resource } = asFields(block) ?? {};
  if (type === "text") return typeof text === "string";
  if (type === "image" || type === "audio") return typeof data === "string";
  if (type !== "resource") return typeof type === "string";
  const inner = asFields(resource);
  return typeof inner?.["text"] === "string" || typeof inner?.["blob"] === "string";
}
