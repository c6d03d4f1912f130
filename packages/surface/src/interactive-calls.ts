import { randomUUID } from "node:crypto";
import { isObject, type CallToolResult, type Elicit, type ElicitAnswer } from "@toolpacks/core";
import {
  checkAnswer,
  inProcessExchange,
  type CallIdentity,
  type InputRequired,
  type OpenQuestion,
  type QuestionExchange,
  type RoundResponse,
} from "./question-exchange.ts";

/** One request of a call that asks its user in several rounds. */
export interface Round {
  /** The `requestState` of the request. Undefined in the first round. */
  readonly state: string | undefined;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly call: CallIdentity;
  /** Aborts when the client cancels the request. */
  readonly signal: AbortSignal;
}

/** Begins a call that can ask its user. Never rejects. */
export type BeginCall = (asking: { readonly elicit: Elicit; readonly signal: AbortSignal }) => Promise<CallToolResult>;

/**
 * Calls that ask the user in rounds. A call keeps running while its client gets the question and comes back with the answer. Every server that a
 * client can reach with its answer needs the same object.
 */
export interface InteractiveCalls {
  /** Begins a call. Resolves to its result or to its first question. */
  begin(round: Round, begin: BeginCall): Promise<RoundResponse>;
  /**
   * Continues the call of the round's state. Resolves to its result or to its next question.
   *
   * @throws ToolError `invalid_input` when the caller has no such question, or the request differs from the call; `unavailable`
   */
  resume(round: Round): Promise<RoundResponse>;
  /** Cancels every call that waits for an answer. */
  close(): void;
}

/** Time allowed for the answer to one question. After it the call is cancelled. */
const answerTimeoutMs = 600_000;
/** Maximum open questions of one principal. The calls of further questions get the answer `cancel`. */
const maxOpenQuestions = 100;
const question = "question";

interface RunningCall {
  readonly identity: CallIdentity;
  readonly abort: AbortController;
  readonly result: Promise<CallToolResult>;
  /** The next question of the call. */
  asked: PromiseWithResolvers<InputRequired>;
}

interface LocalQuestion extends OpenQuestion {
  cancel(reason: Error): void;
}

/** @param exchange carries answers between processes. Default: questions are answered in this process. */
export function createInteractiveCalls(exchange: QuestionExchange = inProcessExchange): InteractiveCalls {
  const open = new Map<string, LocalQuestion>();
  const ask = async (call: RunningCall, params: object): Promise<ElicitAnswer> => {
    const { principal } = call.identity;
    if ([...open.values()].filter((one) => one.call.principal === principal).length >= maxOpenQuestions) {
      return { action: "cancel" };
    }
    const { opened, answered } = openQuestion(call, { open, exchange });
    await exchange.open(opened);
    call.asked.resolve({
      resultType: "input_required",
      inputRequests: { [question]: { method: "elicitation/create", params } },
      requestState: opened.id,
    });
    return answered;
  };
  return {
    begin: (round, begin) => nextResponse(start(round.call, begin, ask), round.signal),
    async resume({ state = "", responses, call, signal }) {
      const response = responses[question];
      const asked = open.get(state);
      if (asked === undefined) return exchange.answer({ id: state, call, response, signal });
      checkAnswer(asked.call, call);
      exchange.forget(state);
      return asked.continue(response, signal) ?? exchange.answer({ id: state, call, response, signal });
    },
    close() {
      for (const one of open.values()) one.cancel(new Error("the server ends"));
    },
  };
}

interface Questions {
  readonly open: Map<string, LocalQuestion>;
  readonly exchange: QuestionExchange;
}

function openQuestion(call: RunningCall, { open, exchange }: Questions) {
  const id = randomUUID();
  const { promise: answered, resolve } = Promise.withResolvers<ElicitAnswer>();
  const end = (answer: ElicitAnswer): boolean => {
    clearTimeout(timer);
    resolve(answer);
    return open.delete(id);
  };
  const cancel = (reason: Error) => {
    if (!end({ action: "cancel" })) return;
    exchange.forget(id);
    call.abort.abort(reason);
  };
  const timer = setTimeout(() => {
    cancel(new Error(`timed out after ${answerTimeoutMs / 1_000} s waiting for the user's answer`));
  }, answerTimeoutMs);
  timer.unref();
  const opened: LocalQuestion = {
    id,
    call: call.identity,
    expiresAt: Date.now() + answerTimeoutMs,
    continue(response, signal) {
      if (!open.has(id)) return undefined;
      // Before the call continues, because it may ask again at once.
      call.asked = Promise.withResolvers();
      end(asAnswer(response));
      return nextResponse(call, signal);
    },
    cancel,
  };
  open.set(id, opened);
  return { opened, answered };
}

/** Resolves to the result of a call or to its next question. The signal cancels the call. */
async function nextResponse(call: RunningCall, signal: AbortSignal): Promise<RoundResponse> {
  const cancel = () => call.abort.abort(signal.reason);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  try {
    return await Promise.race([call.result, call.asked.promise]);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function start(
  identity: CallIdentity,
  begin: BeginCall,
  ask: (call: RunningCall, params: object) => Promise<ElicitAnswer>,
): RunningCall {
  const abort = new AbortController();
  let lastAnswer: Promise<unknown> = Promise.resolve();
  const elicit: Elicit = (params, withdrawn) => {
    // One question at a time. A question that was sent stays open until the client comes back.
    const answer = lastAnswer.then(() =>
      withdrawn?.aborted === true ? { action: "cancel" as const } : ask(call, params),
    );
    lastAnswer = answer;
    return answer;
  };
  const call: RunningCall = {
    identity,
    abort,
    asked: Promise.withResolvers(),
    // Begins in a later microtask, when `call` exists.
    result: Promise.resolve().then(() => begin({ signal: abort.signal, elicit })),
  };
  return call;
}

/** Reads the client's answer. Only its shape is checked here; the code that asked checks its content. */
function asAnswer(response: unknown): ElicitAnswer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action !== "accept" && action !== "decline") return { action: "cancel" };
  return isObject(content) ? { action, content } : { action };
}
