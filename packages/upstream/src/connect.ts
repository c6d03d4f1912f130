import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Transport,
} from "@modelcontextprotocol/client";
import { errorText, ToolError } from "@toolpacks/core";
import { boundedFetch, oversizedMessage } from "@toolpacks/bounded-io";
import { authorization } from "./authorization.ts";
import { ChildTransport } from "./child-transport.ts";
import { boundResponses, withStreamPauses } from "./http-bounds.ts";
import type { Offer } from "./offer.ts";
import type { RemotePlan, UpstreamPlan } from "./options.ts";
import type { RemoteState } from "./remote-state.ts";
import type { ProcessEnd } from "./server-process.ts";
import { StartError } from "./start-error.ts";

/** Timeout of the protocol probe. A server over stdio that is silent is from before 2026; others respond at once. */
const probeMs = 5_000;

export interface ConnectRequest {
  readonly plan: UpstreamPlan;
  readonly state: RemoteState;
  /** The era that the server spoke last time. It saves a probe. */
  readonly era: Offer["era"] | undefined;
  /** Registers handlers on the client before it connects. */
  readonly installHandlers: (client: Client) => void;
  /** Called when the server says that one of its lists has changed. */
  readonly onListChanged: () => void;
  readonly signal: AbortSignal;
}

/** Starts or connects to a server. If it fails, a started process is ended. */
export async function connect(request: ConnectRequest): Promise<Client> {
  const { plan } = request;
  if ("open" in plan) return connectTo(request, plan.open(), "auto");
  if ("command" in plan) return connectChild(request, new ChildTransport(plan));
  if (plan.transport === "sse") return connectSse(request, plan);
  const transport = remoteTransport(request, plan, StreamableHTTPClientTransport);
  try {
    return await connectTo(request, transport, "auto");
  } catch (error) {
    // Status codes of servers of the older transport for a POST.
    const isOlder = error instanceof SdkHttpError && [400, 404, 405].includes(error.status ?? 0);
    if (!isOlder || plan.transport === "http") throw error;
    return connectSse(request, plan).catch(() => {
      throw error;
    });
  }
}

async function connectChild(request: ConnectRequest, transport: ChildTransport): Promise<Client> {
  try {
    return await connectTo(request, transport, request.era === "legacy" ? "legacy" : "auto");
  } catch (error) {
    const failure = startFailure(error, transport, request);
    await transport.close();
    // A few servers exit at any request before `initialize`.
    const { plan } = request;
    const mayBeLegacy = request.era === undefined && !request.signal.aborted && "command" in plan && hasEnded(error);
    if (mayBeLegacy) return connectChild({ ...request, era: "legacy" }, new ChildTransport(plan));
    throw failure;
  }
}

/** The start error, with the exit status and last output of the process. */
function startFailure(error: unknown, transport: ChildTransport, { plan, signal }: ConnectRequest): unknown {
  const { end, lastWords, strayOutput } = transport;
  if (signal.aborted || error instanceof StartError) return error;
  const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
  if (end === undefined && !isLate) {
    return lastWords === "" ? error : new Error(`${errorText(error)}; stderr: ${lastWords}`);
  }
  const what =
    end === undefined ? `it did not answer within ${plan.connectSeconds} s` : `it ${endOf(end)} before it answered`;
  if (strayOutput !== undefined && !/error|exception/i.test(lastWords)) {
    return new StartError(
      `${what}, and its output is not MCP: ${JSON.stringify(strayOutput)}`,
      "Its documentation says which command or argument starts it as an MCP server on stdio.",
    );
  }
  const words = lastWords === "" ? "it wrote nothing to stderr" : `stderr: ${lastWords}`;
  const advice = isLate
    ? "Raise connectSeconds if it starts slowly, for example because of a download."
    : "Run its command in a terminal to see all that it writes; the log has its last lines.";
  return new StartError(`${what}; ${words}`, advice);
}

/** `ended with exit code 1`, `was ended by SIGKILL`. */
export function endOf({ code, signal }: ProcessEnd): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function hasEnded(error: unknown): boolean {
  return errorText(error).toLowerCase().includes("closed");
}

/** A transport with limits on what the server sends. Beyond a limit the connection is closed, and its calls fail. */
function remoteTransport(
  { plan, state }: ConnectRequest,
  remote: RemotePlan,
  RemoteTransport: typeof StreamableHTTPClientTransport | typeof SSEClientTransport,
): Transport {
  const fail = (error: ToolError) => {
    plan.log?.("error", error.message);
    streamFailures.set(transport, error);
    void transport.close();
  };
  const fetch = boundedFetch({
    maxBytes: plan.maxResultBytes,
    perEvent: true,
    ready: plan.ready ?? (() => undefined),
    onTooLarge(error, isStream) {
      // The SDK would reopen the stream, and the calls would wait until they time out.
      if (isStream) fail(error);
    },
  });
  const transport: Transport = new RemoteTransport(new URL(remote.url), {
    requestInit: { headers: remote.headers },
    ...authorization(remote, state, withStreamPauses(fetch)),
  });
  transport.onmessage = (message) => {
    const oversized = oversizedMessage(message);
    if (oversized === undefined) return;
    const error = new ToolError("too_large", `the response is ${oversized.reason}`);
    fail(error);
    throw error;
  };
  boundResponses(transport, fail);
  return transport;
}

/** The errors of connections that were closed because of a limit. */
export const streamFailures = new WeakMap<Transport, ToolError>();

function connectSse(request: ConnectRequest, remote: RemotePlan): Promise<Client> {
  return connectTo(request, remoteTransport(request, remote, SSEClientTransport), "legacy");
}

const identity = { name: "toolpacks", version: "1" };
const capabilities = {
  elicitation: { form: {}, url: {} },
  // Some servers list the interfaces of their tools only to clients that show them.
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

async function connectTo(
  { plan, installHandlers, onListChanged, signal }: ConnectRequest,
  transport: Transport,
  mode: "auto" | "legacy",
): Promise<Client> {
  const changed = { autoRefresh: false, onChanged: onListChanged };
  const options: ClientOptions = {
    listChanged: { tools: changed, prompts: changed, resources: changed },
    capabilities,
    versionNegotiation: { mode, probe: { timeoutMs: Math.min(probeMs, plan.connectSeconds * 1_000) } },
  };
  const client = new Client(identity, options);
  installHandlers(client);
  // During the protocol probe the SDK ignores the signal.
  const stop = () => void transport.close().catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    await client.connect(transport, { timeout: plan.connectSeconds * 1_000, signal });
    return client;
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
