import {
  isObject,
  principalOf,
  requestContext,
  ToolError,
  toCallToolResult,
  type ClientAccess,
  type InputRequest,
  type Sample,
  type ToolContext,
} from "@toolpacks/core";
import type { Inputs } from "./input-responses.ts";
import type { Asking, InteractiveCalls, Round } from "./interactive-calls.ts";
import { protocolAnswer } from "./protocol-answer.ts";
import { callIdentity, type RoundResponse } from "./call-identity.ts";

/** Creates the response to a request. It may ask the client by the context. */
export type Answer = (context: ToolContext) => Promise<object>;

/** Answers a request in one round, or in several if it asks a client of protocol 2026-07-28. */
export type AnswerInRounds = (request: RoundRequest, answer: Answer) => Promise<object>;

export interface RoundRequest {
  /** The second argument that the SDK passes to a request handler. */
  readonly raw: unknown;
  /** The tool, or another name of what the request is about. The request of a later round has the same name and arguments. */
  readonly name: string;
  readonly args?: unknown;
  /** Whether the request is a `tools/call`, which shows a model why it failed. Default false. */
  readonly isCall?: boolean;
}

export interface RoundOptions {
  readonly interactiveCalls: InteractiveCalls;
  /** A `requestState` with which a request is a first one. */
  readonly beforeState: string | undefined;
  /** Stands for the caller's current rights. An answer continues a call only with the rights with which the call began. */
  readonly rightsKey: () => string;
  /** The id of the session, if all requests belong to one. */
  readonly session: string | undefined;
}

export function answerInRounds({ interactiveCalls, beforeState, rightsKey, session }: RoundOptions): AnswerInRounds {
  return ({ raw, name, args, isCall = false }, answer) => {
    const context = requestContext(raw, session);
    const { mcpReq } = raw as { mcpReq?: ModernRequest };
    const state = mcpReq?.requestState?.();
    const isFirst = state === undefined || state === beforeState;
    if (mcpReq === undefined || (isFirst && mcpReq.envelope === undefined)) return answer(context);
    const round = {
      state: isFirst ? undefined : state,
      responses: mcpReq.inputResponses ?? {},
      signal: mcpReq.signal,
      call: callIdentity(principalOf(context.auth), name, { args: args ?? {}, rights: rightsKey() }),
    };
    if (!isFirst) return resume(interactiveCalls, round, isCall).then(throwFailure);
    const declared = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
    const capabilities = isObject(declared) ? declared : {};
    return interactiveCalls
      .begin(round, (asking) => begin(answer, context, { asking, capabilities }))
      .then(throwFailure);
  };
}

interface ModernRequest {
  readonly signal: AbortSignal;
  readonly envelope?: Readonly<Record<string, unknown>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
  requestState?(): string | undefined;
}

interface Client {
  readonly asking: Asking;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** Runs an answer that can ask its client. Never rejects. */
async function begin(answer: Answer, context: ToolContext, { asking, capabilities }: Client): Promise<object> {
  const { elicit, signal, request } = asking;
  let refusal: object | undefined;
  const client: ClientAccess = {
    capabilities,
    async request(inputs) {
      const missing = missingCapabilities(inputs, capabilities);
      if (Object.keys(missing).length === 0) return request(inputs);
      refusal = failure(missingCapabilityError(missing));
      throw new ToolError("unavailable", `the client lacks ${Object.keys(missing).join(", ")}`);
    },
  };
  const sample: Sample = async (params, stop) =>
    (await import("./sample-in-round.ts")).sampleInRound(request, params, stop);
  const asked = {
    ...context,
    signal,
    client,
    ...(capabilities["elicitation"] !== undefined && { elicit }),
    ...(capabilities["sampling"] !== undefined && { sample }),
  };
  // A failure is a value until the response is sent, because another process may send it.
  const result = await answer(asked).catch(failure);
  return refusal ?? result;
}

/** Continues a request. A refused round gets a protocol error, because it was no call. */
function resume(calls: InteractiveCalls, round: Round, isCall: boolean): Promise<RoundResponse> {
  return protocolAnswer(async () => {
    try {
      return await calls.resume(round);
    } catch (error) {
      if (!isCall || !ToolError.is(error) || error.code === "invalid_input") throw error;
      const { code, message, hint } = error;
      return toCallToolResult({ ok: false, failure: { code, message, hint } }, "text");
    }
  });
}

const capabilityOf: Readonly<Record<InputRequest["method"], string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

function missingCapabilities(inputs: Inputs, capabilities: Client["capabilities"]): Readonly<Record<string, object>> {
  const needed = Object.values(inputs).map(({ method }) => capabilityOf[method]);
  return Object.fromEntries(needed.filter((name) => capabilities[name] === undefined).map((name) => [name, {}]));
}

/** The protocol's error for a request that the client cannot be asked for. */
function missingCapabilityError(requiredCapabilities: Readonly<Record<string, object>>): Error {
  const names = Object.keys(requiredCapabilities).join(", ");
  const message = `the client has not declared ${names}, which the request needs`;
  return Object.assign(new Error(message), { code: -32_021, data: { requiredCapabilities } });
}

const failureKey = "toolpacks/failure";

/** A protocol error as a value. */
function failure(error: unknown): object {
  const { code = -32_603, data } = error as { readonly code?: unknown; readonly data?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  return { [failureKey]: { message, code, data } };
}

/** Passes on a response, and throws a failure. */
function throwFailure(response: object): object {
  const { [failureKey]: failed } = response as { readonly [failureKey]?: { readonly message: string } };
  if (failed === undefined) return response;
  throw Object.assign(new Error(failed.message), failed);
}
