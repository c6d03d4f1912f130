import { requestContext, toCallToolResult, type CallToolResult, type DispatchRequest } from "@toolpacks/core";
import { createAskedCalls, type InputRequired, type Round } from "./asked-calls.ts";
import type { Surface } from "./surface.ts";

/** A `tools/call` request, as far as it is answered here. */
interface CallRequest {
  readonly params: {
    readonly name: string;
    readonly arguments?: Readonly<Record<string, unknown>> | undefined;
    readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  };
}

/** Answers a `tools/call`. The second argument is what either SDK hands a handler of requests beside the request. */
type CallHandler = (request: CallRequest, raw: unknown) => Promise<CallToolResult | InputRequired>;

/** Answers `tools/call` by the surface that is in place. */
export function callHandler(surface: () => Surface): CallHandler {
  const asked = createAskedCalls<CallToolResult>();
  const answer = async (request: DispatchRequest) => {
    const { outcome, results } = await surface().call(request);
    return toCallToolResult(outcome, results);
  };
  return ({ params }, raw) => {
    const request = { name: params.name, args: params.arguments, ...requestContext(raw) };
    const round = roundOf(raw);
    return round === undefined ? answer(request) : asked.run(round, (asking) => answer({ ...request, ...asking }));
  };
}

/** The round of a 2026 client that can ask its user. Others are asked by requests, or not at all. */
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
