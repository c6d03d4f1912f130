import { requestContext, toCallToolResult, type CallToolResult, type DispatchRequest } from "@toolpacks/core";
import { createInteractiveCalls, type InputRequired, type Round } from "./interactive-calls.ts";
import type { Surface } from "./surface.ts";

/** The fields of a `tools/call` request that are read here. */
interface CallRequest {
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
    readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  };
}

/** Answers a `tools/call`. `raw` is the second argument that the SDK passes to a request handler. */
type CallHandler = (request: CallRequest, raw: unknown) => Promise<CallToolResult | InputRequired>;

/** Creates the handler of `tools/call`. It reads the current surface at each call. */
export function callHandler(surface: () => Surface): CallHandler {
  const interactive = createInteractiveCalls<CallToolResult>();
  const answer = async (request: DispatchRequest) => {
    const { call, results } = surface();
    return toCallToolResult(await call(request), results);
  };
  return ({ params }, raw) => {
    const context = requestContext(raw);
    const request = { name: params.name, args: params.arguments, context };
    const round = roundOf(raw);
    if (round === undefined) return answer(request);
    return interactive.run(round, (asking) => answer({ ...request, context: { ...context, ...asking } }));
  };
}

/** The round of a request of a 2026 client that can ask its user. Undefined for other clients. */
function roundOf(raw: unknown): Round | undefined {
  const { mcpReq } = raw as { mcpReq?: ModernRequest };
  const capabilities = mcpReq?.envelope?.["io.modelcontextprotocol/clientCapabilities"];
  if (mcpReq === undefined || capabilities?.elicitation === undefined) return undefined;
  return { state: mcpReq.requestState(), responses: mcpReq.inputResponses ?? {}, signal: mcpReq.signal };
}

interface ModernRequest {
  readonly signal: AbortSignal;
  readonly envelope?: Readonly<Record<string, { readonly elicitation?: object } | undefined>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  requestState(): string | undefined;
}
