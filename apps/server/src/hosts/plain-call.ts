import { isObject } from "@toolpacks/core";
import type { CallRequest } from "@toolpacks/surface";

type Fields = Readonly<Record<string, unknown>>;

/** A `tools/call` that has nothing but what one must have. */
export interface PlainCall {
  readonly id: string | number;
  readonly request: CallRequest;
  /** What a client of 2026 says of itself with every request. */
  readonly envelope?: Fields;
}

const callFields = new Set(["jsonrpc", "id", "method", "params"]);
const paramFields = new Set(["name", "arguments", "_meta"]);
const envelopeFields = new Set(
  ["protocolVersion", "clientInfo", "clientCapabilities"].map((name) => `io.modelcontextprotocol/${name}`),
);
/** Names that the protocol keeps for itself; what a client says under its own is nothing that anybody here would read. */
const reservedName = /(^|\.)(modelcontextprotocol|mcp)(\.[^/]*)?\//;

/** Undefined for any other message. */
export function plainCall(message: unknown): PlainCall | undefined {
  if (!isObject(message) || message["method"] !== "tools/call" || message["jsonrpc"] !== "2.0") return undefined;
  const { id, params } = message;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return undefined;
  if (!isObject(params) || typeof params["name"] !== "string") return undefined;
  const { name, arguments: args, _meta: meta } = params;
  if (args !== undefined && !isObject(args)) return undefined;
  if (!hasOnly(message, callFields) || !hasOnly(params, paramFields)) return undefined;
  const read = meta === undefined ? {} : readMeta(meta);
  return (
    read && { id: id as string | number, request: { params: { name, arguments: args, _meta: read.own } }, ...read.said }
  );
}

interface ReadMeta {
  readonly own?: { readonly progressToken?: string | number };
  readonly said?: { readonly envelope: Fields };
}

/** Undefined where there is more in it than is known here. */
function readMeta(meta: unknown): ReadMeta | undefined {
  if (!isObject(meta)) return undefined;
  const { progressToken } = meta;
  const isToken =
    progressToken === undefined || typeof progressToken === "string" || Number.isSafeInteger(progressToken);
  if (!isToken) return undefined;
  const reserved = Object.keys(meta).filter((name) => reservedName.test(name));
  if (reserved.length === 0) return { own: meta };
  if (!reserved.every((name) => envelopeFields.has(name))) return undefined;
  const own = progressToken === undefined ? {} : { own: { progressToken: progressToken as string | number } };
  return { ...own, said: { envelope: Object.fromEntries(reserved.map((name) => [name, meta[name]])) } };
}

function hasOnly(fields: object, known: ReadonlySet<string>): boolean {
  return Object.keys(fields).every((name) => known.has(name));
}
