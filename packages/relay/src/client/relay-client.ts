import { isObject, type CallToolResult } from "@toolpacks/core";
import { createRelay, type Relay, type RelaySettings } from "../create-relay.ts";
import { readResource } from "../read/read-resource.ts";
import { memoryValues } from "../values/memory-values.ts";
import type { RelayValues } from "../values/relay-values.ts";
import { createAddedTool } from "./added-tool.ts";
import { callFailure } from "./call-failure.ts";
import { ServerTools, type ForeignTool } from "./server-tools.ts";
import { isValueUri } from "../handle.ts";

/** The methods of a client of either SDK that a relay uses. Each SDK passes further arguments after the request: schemas, a signal. */
interface Methods {
  listTools(request?: { readonly cursor?: string }, ...rest: readonly unknown[]): Promise<ToolsListed>;
  callTool(request: ToolCall, ...rest: readonly unknown[]): Promise<CallToolResult>;
  readResource(request: { readonly uri: string }, ...rest: readonly unknown[]): Promise<unknown>;
}

interface ToolsListed {
  readonly tools: readonly ForeignTool[];
  readonly nextCursor?: string;
}

interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

type Method = (...args: never[]) => Promise<object>;

/**
 * A client of `@modelcontextprotocol/client` or `@modelcontextprotocol/sdk`, by its shape: neither is imported. `readResource` may be missing.
 */
export interface RelayableClient {
  readonly listTools: Method;
  readonly callTool: Method;
  readonly readResource?: Method;
}

export interface RelayClientOptions extends RelaySettings {
  /** Storage of the values. Default: memory of this process. */
  readonly values?: RelayValues;
  /** Called with the error of a value that could not be stored or read. The result then stays as it is. Default: prints it to stderr. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Wraps a connected client so that large results stay out of the conversation. `listTools` also lists `relay_read`, `callTool`
 * resolves handles in arguments and boxes results, and `readResource` reads a handle's value. Everything else is the client's.
 *
 * @example const client = relayClient(connected, { thresholdTokens: 2_000 });
 */
export function relayClient<Client extends RelayableClient>(client: Client, options: RelayClientOptions = {}): Client {
  const {
    values = memoryValues(),
    onError = (error) => console.error("toolpacks: relay:", error),
    ...settings
  } = options;
  const methods = relayMethods(client as unknown as Methods, createRelay({ values, ...settings }), onError);
  const bound = new Map<unknown, unknown>();
  const proxy: ProxyHandler<Client> = {
    // Private fields of an SDK's client are only accessible with the client as `this`.
    get(target, name) {
      if (Object.hasOwn(methods, name) && name in target) return methods[name as keyof Methods];
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function" || name === "constructor") return value;
      if (!bound.has(value)) bound.set(value, value.bind(target));
      return bound.get(value);
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  };
  return new Proxy(client, proxy);
}

function relayMethods(client: Methods, relay: Relay, onError: (error: unknown) => void): Methods {
  const tools = new ServerTools(relay);
  const added = createAddedTool(relay);
  const box = async (result: CallToolResult, tool: string) => {
    try {
      return await relay.box(result, tool, tools.hasOutput(tool));
    } catch (error) {
      onError(error);
      return result;
    }
  };
  return {
    async listTools(request, ...rest) {
      const page = await client.listTools(request, ...rest);
      const place = { isFirst: request?.cursor === undefined, isLast: page.nextCursor === undefined };
      return { ...page, tools: tools.take({ tools: page.tools, ...place }, (name) => added.list(name)) };
    },
    async callTool(request, ...rest) {
      const { name, arguments: args } = request;
      if (name === tools.readName) return added.call(args, signalIn(rest));
      let opened: ToolCall["arguments"];
      try {
        const schema = tools.inputOf(name);
        opened = await relay.unbox(args, { schema });
      } catch (error) {
        return callFailure(error, onError);
      }
      const asked = opened === args ? request : { ...request, arguments: opened ?? {} };
      return box(await client.callTool(asked, ...rest), name);
    },
    async readResource(request, ...rest) {
      const { uri } = request;
      if (!isValueUri(uri)) return client.readResource(request, ...rest);
      return { contents: await readResource(relay, uri, signalIn(rest) ?? new AbortController().signal) };
    },
  };
}

/** The signal in the last argument: both SDKs pass the options of a request there. */
function signalIn(rest: readonly unknown[]): AbortSignal | undefined {
  const last = rest.at(-1);
  return isObject(last) && last["signal"] instanceof AbortSignal ? last["signal"] : undefined;
}
