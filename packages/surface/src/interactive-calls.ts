import { createHash, randomUUID } from "node:crypto";
import {
  asAnswer,
  canonicalJson,
  ToolError,
  type Elicit,
  type InputRequest,
  type InputResponse,
} from "@toolpacks/core";
import pLimit, { type LimitFunction } from "p-limit";
import { validResponses, type Inputs, type Responses } from "./input-responses.ts";

/** What the request with an answer has in common with the request that began the call. */
interface CallIdentity {
  /** The caller's `principalOf`. */
  readonly principal: string;
  readonly digest: string;
}

/**
 * The identity of a call. The digest is computed when it is first read, since few calls ask.
 *
 * @param request what the request with an answer must repeat, such as the name and the arguments
 */
export function callIdentity(principal: string, request: unknown): CallIdentity {
  let digest: string | undefined;
  return {
    principal,
    get digest() {
      return (digest ??= createHash("sha256").update(canonicalJson(request)).digest("base64url"));
    },
  };
}

/** One request of a call that asks its user in several rounds. */
interface Round {
  /** The `requestState` of the request. Undefined in the first round. */
  readonly state: string | undefined;
  readonly responses: Responses;
  readonly call: CallIdentity;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
}

/** How a call asks its client. */
export interface Asking {
  readonly elicit: Elicit;
  /** Requests inputs in one response. A missing or invalid response is requested again. @throws ToolError `cancelled` */
  readonly request: (inputs: Inputs) => Promise<Readonly<Record<string, InputResponse>>>;
  readonly signal: AbortSignal;
}

/** Begins a call that can ask its client. */
type BeginCall = (asking: Asking) => Promise<object>;

/**
 * Calls that ask the user in rounds. A call keeps running while its client gets the question and comes back with the answer, to the same process. Every
 * server object that a client can reach with its answer needs the same object.
 */
export interface InteractiveCalls {
  /** Begins a call. Resolves to its result or to its first question. */
  begin(round: Round, begin: BeginCall): Promise<object>;
  /**
   * Continues the call of the round's state. Resolves to its result or to its next question.
   *
   * @throws ToolError `invalid_input` when the caller has no such question, or the request differs from the call
   */
  resume(round: Round): Promise<object>;
  /** Cancels every call that waits for an answer. */
  close(): void;
}

/** Time allowed for the answer to one question. After it the call is cancelled. */
const answerTimeoutMs = 600_000;

/** Maximum open questions of one principal. The calls of further questions get the answer `cancel`. */
const maxOpenQuestions = 100;

/** How often the same input is requested from a client that does not send it. */
const maxAttempts = 3;

const question = "question";

interface RunningCall {
  readonly identity: CallIdentity;
  readonly abort: AbortController;
  readonly result: Promise<object>;
  /** The response to a 2026 client in place of a result: the next question of the call. */
  asked: PromiseWithResolvers<object>;
}

interface OpenQuestion {
  readonly call: RunningCall;
  /** Closes the question, and passes the client's responses by name to the call. */
  readonly end: (responses: Responses | undefined) => void;
}

export function createInteractiveCalls(): InteractiveCalls {
  /** By the `requestState` that the client sends back. */
  const open = new Map<string, OpenQuestion>();
  const ask: Ask = async (call, inputRequests) => {
    const { principal } = call.identity;
    if ([...open.values()].filter((one) => one.call.identity.principal === principal).length >= maxOpenQuestions)
      return undefined;
    const id = randomUUID();
    const { promise: answered, resolve } = Promise.withResolvers<Responses | undefined>();
    const end = (responses: Responses | undefined) => {
      clearTimeout(timer);
      open.delete(id);
      resolve(responses);
    };
    const timer = setTimeout(() => {
      cancel({ call, end }, `timed out after ${answerTimeoutMs / 1_000} s waiting for the user's answer`);
    }, answerTimeoutMs).unref();
    open.set(id, { call, end });
    call.asked.resolve({ resultType: "input_required", inputRequests, requestState: id });
    return answered;
  };
  return {
    begin: (round, begin) => nextResponse(start(round, begin, ask), round.signal),
    async resume({ state = "", responses, call: { principal, digest }, signal }) {
      const asked = open.get(state);
      // The same for questions that never existed, of other callers, answered and expired.
      if (asked === undefined || asked.call.identity.principal !== principal)
        throw new ToolError(
          "invalid_input",
          "requestState: no open question has this state; it was answered, has expired, or never existed",
          "Call the tool again without requestState. Check first what the earlier call has changed.",
        );
      const { call, end } = asked;
      if (call.identity.digest !== digest)
        throw new ToolError(
          "invalid_input",
          "requestState: it belongs to a call of another tool or with other arguments",
          "Repeat the tool and the arguments of the call that asked.",
        );
      // Before the call continues, because it may ask again at once.
      call.asked = Promise.withResolvers();
      end(responses);
      return nextResponse(call, signal);
    },
    close() {
      for (const one of open.values()) cancel(one, "the server ends");
    },
  };
}

function cancel({ call, end }: OpenQuestion, reason: string): void {
  end(undefined);
  call.abort.abort(new Error(reason));
}

/** Resolves to the result of a call or to its next question. The signal cancels the call. */
async function nextResponse(call: RunningCall, signal: AbortSignal): Promise<object> {
  const stop = () => call.abort.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([call.result, call.asked.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Sends a question. Resolves to the client's responses, or to undefined if the question was not sent or has expired. */
type Ask = (call: RunningCall, inputs: Inputs) => Promise<Responses | undefined>;

function start({ call: identity, responses }: Round, begin: BeginCall, ask: Ask): RunningCall {
  const abort = new AbortController();
  let limit: LimitFunction | undefined;
  /** One question at a time. A question that was sent stays open until the client comes back. Most calls ask nothing. */
  const inTurn = <T>(work: () => Promise<T>) => (limit ??= pLimit(1))(work);
  const elicit: Elicit = (params, withdrawn) =>
    inTurn(async () => {
      if (withdrawn?.aborted === true) return { action: "cancel" };
      const answered = await ask(call, { [question]: { method: "elicitation/create", params } });
      return asAnswer(answered?.[question]);
    });
  const request: Asking["request"] = (inputs) =>
    inTurn(async () => {
      // A client that knows the inputs of a call may send them with its first request.
      const valid: Record<string, InputResponse> = validResponses(inputs, responses);
      for (let attempt = 0; attempt <= maxAttempts; attempt += 1) {
        const missing = Object.entries(inputs).filter(([name]) => !Object.hasOwn(valid, name));
        if (missing.length === 0) return valid;
        const open: Record<string, InputRequest> = Object.fromEntries(missing);
        const answered = attempt < maxAttempts ? await ask(call, open) : undefined;
        if (answered === undefined) break;
        Object.assign(valid, validResponses(open, answered));
      }
      throw new ToolError("cancelled", "the client has not answered");
    });
  const call: RunningCall = {
    identity,
    abort,
    asked: Promise.withResolvers(),
    // Begins in a later microtask, when `call` exists.
    result: Promise.resolve().then(() => begin({ signal: abort.signal, elicit, request })),
  };
  // The call may fail while no request waits for it.
  call.result.catch(() => {});
  return call;
}
