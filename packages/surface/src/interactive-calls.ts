import { randomUUID } from "node:crypto";
import { isObject, type Elicit, type ElicitAnswer } from "@toolpacks/core";

/** The response to a 2026 client in place of a result: questions to its user, and the id of the call that waits for the answers. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests: Readonly<Record<string, { readonly method: "elicitation/create"; readonly params: object }>>;
  readonly requestState: string;
}

/** One request of a call that asks its user in several rounds. */
export interface Round {
  /** The id of the waiting call, as the client sends it back. Undefined in the first round. */
  readonly state: string | undefined;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Calls that ask the user in rounds. A call keeps running while its client gets the question and comes back with the answer. */
export interface InteractiveCalls<Result> {
  /** Begins a call, or continues the call of the round. Resolves to its result or to its next question. */
  run(
    round: Round,
    begin: (asked: { elicit: Elicit; signal: AbortSignal }) => Promise<Result>,
  ): Promise<Result | InputRequired>;
}

/** Time allowed for the answer to one question. After it the call is cancelled. */
const answerTimeoutMs = 600_000;
const question = "question";

interface RunningCall<Result> {
  readonly abort: AbortController;
  readonly result: Promise<Result>;
  /** The next question of the call. */
  asked: Promise<InputRequired>;
  answer: (answer: ElicitAnswer) => void;
}

export function createInteractiveCalls<Result>(): InteractiveCalls<Result> {
  const waiting = new Map<string, RunningCall<Result>>();
  return {
    async run(round, begin) {
      const known = round.state === undefined ? undefined : waiting.get(round.state);
      const call = known ?? start(waiting, begin);
      if (known !== undefined && round.state !== undefined) {
        waiting.delete(round.state);
        known.answer(asAnswer(round.responses[question]));
      }
      const cancel = () => call.abort.abort(round.signal.reason);
      round.signal.addEventListener("abort", cancel);
      try {
        return await Promise.race([call.result, call.asked]);
      } finally {
        round.signal.removeEventListener("abort", cancel);
      }
    },
  };
}

function start<Result>(
  waiting: Map<string, RunningCall<Result>>,
  begin: Parameters<InteractiveCalls<Result>["run"]>[1],
): RunningCall<Result> {
  const abort = new AbortController();
  let ask: (required: InputRequired) => void = () => {};
  const next = () => new Promise<InputRequired>((resolve) => (ask = resolve));
  let lastAnswer: Promise<unknown> = Promise.resolve();
  const askClient = (params: object) =>
    new Promise<ElicitAnswer>((resolve) => {
      const requestState = randomUUID();
      const timer = setTimeout(() => {
        waiting.delete(requestState);
        abort.abort(new Error(`timed out after ${answerTimeoutMs / 1_000} s waiting for the user's answer`));
        resolve({ action: "cancel" });
      }, answerTimeoutMs);
      timer.unref();
      waiting.set(requestState, call);
      call.answer = (answer) => {
        clearTimeout(timer);
        call.asked = next();
        resolve(answer);
      };
      ask({
        resultType: "input_required",
        inputRequests: { [question]: { method: "elicitation/create", params } },
        requestState,
      });
    });
  const call: RunningCall<Result> = {
    abort,
    asked: next(),
    answer: () => {},
    // Begins in a later microtask, when `call` exists.
    result: Promise.resolve().then(() =>
      begin({
        signal: abort.signal,
        elicit: (params, withdrawn) => {
          // One question at a time. A question that was sent stays open until the client comes back.
          const answer = lastAnswer.then(() =>
            withdrawn?.aborted === true ? { action: "cancel" as const } : askClient(params),
          );
          lastAnswer = answer;
          return answer;
        },
      }),
    ),
  };
  return call;
}

/** Reads the client's answer. Only its shape is checked here; the code that asked checks its content. */
function asAnswer(response: unknown): ElicitAnswer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action !== "accept" && action !== "decline") return { action: "cancel" };
  return isObject(content) ? { action, content } : { action };
}
