import { randomUUID } from "node:crypto";
import {
  isObject,
  principalOf,
  requestContext,
  ToolError,
  untilAborted,
  type ClientAccess,
  type InputRequest,
  type Sample,
  type ToolContext,
} from "@toolpacks/core";
import type { Inputs } from "./input-responses.ts";
import { callIdentity, type Asking, type InteractiveCalls } from "./interactive-calls.ts";
import { protocolAnswer } from "./protocol-answer.ts";

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
  return ({ raw, name, args }, answer) => {
    const context = requestContext(raw, session);
    const { mcpReq } = raw as { mcpReq?: ModernRequest };
    const state = mcpReq?.requestState?.();
    const isFirst = state === undefined || state === beforeState;
    if (mcpReq === undefined || (isFirst && mcpReq.envelope === undefined)) return answer(context);
    const round = {
      state: isFirst ? undefined : state,
      responses: mcpReq.inputResponses ?? {},
      signal: mcpReq.signal,
      call: callIdentity(principalOf(context.auth), [name, args ?? {}, rightsKey()]),
    };
    if (!isFirst) return protocolAnswer(() => interactiveCalls.resume(round));
    const declared = mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"];
    const capabilities = isObject(declared) ? declared : {};
    return interactiveCalls.begin(round, (asking) => begin(answer, context, { asking, capabilities }));
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

/** Runs an answer that can ask its client. */
async function begin(answer: Answer, context: ToolContext, { asking, capabilities }: Client): Promise<object> {
  const { elicit, signal, request } = asking;
  let refusal: Error | undefined;
  const client: ClientAccess = {
    capabilities,
    async request(inputs) {
      const missing = missingCapabilities(inputs, capabilities);
      if (Object.keys(missing).length === 0) return request(inputs);
      refusal = missingCapabilityError(missing);
      throw new ToolError("unavailable", `the client lacks ${Object.keys(missing).join(", ")}`);
    },
  };
  const asked = {
    ...context,
    signal,
    client,
    elicit: capabilities["elicitation"] === undefined ? undefined : elicit,
    sample: capabilities["sampling"] === undefined ? undefined : sampleWith(request),
  };
  const result = answer(asked);
  await result.catch(() => {});
  if (refusal !== undefined) throw refusal;
  return result;
}

/** Asks the model of the client. The signal ends the waiting: the question stays open, and its answer is not used. */
function sampleWith(request: Asking["request"]): Sample {
  return async (params, signal) => {
    // Each question has its own name, so that no answer counts for two.
    const name = `sample-${randomUUID()}`;
    const answered = request({ [name]: { method: "sampling/createMessage", params } });
    const answers = await (signal === undefined ? answered : untilAborted(signal, answered));
    return answers[name] ?? {};
  };
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
