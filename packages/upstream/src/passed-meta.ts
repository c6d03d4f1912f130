import { isObject } from "@toolpacks/core";
import { z } from "zod";

/** The `_meta` of a tool, result, content block or resource. */
export type Meta = Readonly<Record<string, unknown>>;

/** Maximum characters of `_meta` in a list, and of the `_meta` of a result. A longer one is dropped whole. */
const maxListedCharacters = 16_000;
const maxResultCharacters = 1_000_000;

/** Keys that belong to one connection: progress and traces. */
const hopKeys: ReadonlySet<string> = new Set(["progressToken", "traceparent", "tracestate", "baggage"]);
/** Prefixes of keys that belong to one connection, or that this server writes itself. */
const hopPrefixes = ["io.modelcontextprotocol/", "modelcontextprotocol.io/", "toolpacks/"];

/** `_meta` in a list. Undefined for what cannot be passed on. */
export const listedMeta = z
  .unknown()
  .transform((meta) => passedMeta(meta, maxListedCharacters))
  .optional();

/** The `_meta` of a result for the client: unchanged, without the keys of the connection to the server. */
export function resultMeta(meta: unknown): Meta | undefined {
  return passedMeta(meta, maxResultCharacters);
}

/** A content block or resource whose `_meta` has lost the keys of the connection to the server. */
export function withPassedMeta<Item extends object>(item: Item): Item {
  const { _meta, ...rest } = item as Item & { readonly _meta?: unknown };
  if (_meta === undefined) return item;
  const meta = resultMeta(_meta);
  return { ...rest, ...(meta && { _meta: meta }) } as Item;
}

function passedMeta(meta: unknown, maxCharacters: number): Meta | undefined {
  if (!isObject(meta)) return undefined;
  const passed = Object.entries(meta).filter(([key]) => !isOfHop(key));
  if (passed.length === 0) return undefined;
  const kept = Object.fromEntries(passed);
  return JSON.stringify(kept).length > maxCharacters ? undefined : kept;
}

function isOfHop(key: string): boolean {
  return hopKeys.has(key) || hopPrefixes.some((prefix) => key.startsWith(prefix));
}

/** The address of the interface of a tool, as MCP Apps name it: `ui.resourceUri`, or the older `ui/resourceUri`. */
export function interfaceOf(meta: Meta | undefined): string | undefined {
  const ui = meta?.["ui"];
  const uri = (isObject(ui) ? ui["resourceUri"] : undefined) ?? meta?.["ui/resourceUri"];
  return typeof uri === "string" ? uri : undefined;
}
