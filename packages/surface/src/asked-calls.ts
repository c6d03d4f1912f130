import { randomUUID } from "node:crypto";
import type { Elicit, ElicitAnswer } from "@toolpacks/core";

/** What a 2026 client is answered in place of a result: questions to its user, and a name for the call that waits for the answers. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests: Readonly<Record<string, { readonly method: "elicitation/create"; readonly params: object }>>;
  readonly requestState: string;
}

/** What the request says of the round that it is. */
export interface Round {
  /** The name of a call that waits, as the client gives it back. */
  readonly state: string | undefined;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Calls that ask their caller's user in rounds: a call goes on while its client is answered that input is required, and comes back for it. */
export interface AskedCalls<Result> {
  /** Begins a call, or goes on with the one that the round names. Resolves to its result, or to its next question. */
  run(
    round: Round,
    begin: (asked: { elicit: Elicit; signal: AbortSignal }) => Promise<Result>,
  ): Promise<Result | InputRequired>;
}

/** Nobody answers after this long, and the call is cancelled. */
const patienceMs = 600_000;
const question = "question";

interface Waiting<Result> {
  readonly abort: AbortController;
  readonly result: Promise<Result>;
  /** The next question of the call. */
  asked: Promise<InputRequired>;
  answer: (answer: ElicitAnswer) => void;
}

export function createAskedCalls<Result>(): AskedCalls<Result> {
  const waiting = new Map<string, Waiting<Result>>();
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
  waiting: Map<string, Waiting<Result>>,
  begin: Parameters<AskedCalls<Result>["run"]>[1],
): Waiting<Result> {
  const abort = new AbortController();
  let ask: (required: InputRequired) => void = () => {};
  const next = () => new Promise<InputRequired>((resolve) => (ask = resolve));
  let inTurn: Promise<unknown> = Promise.resolve();
  const put = (params: object) =>
    new Promise<ElicitAnswer>((resolve) => {
      const requestState = randomUUID();
      const timer = setTimeout(() => {
        waiting.delete(requestState);
        abort.abort(new Error("nobody answered"));
        resolve({ action: "cancel" });
      }, patienceMs);
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
  const call: Waiting<Result> = {
    abort,
    asked: next(),
    answer: () => {},
    // Begun a moment later, when it can be asked about.
    result: Promise.resolve().then(() =>
      begin({
        signal: abort.signal,
        elicit: (params, withdrawn) => {
          // One question at a time, each with its answer. A question that the client has got stays until the client comes back.
          const answer = inTurn.then(() => (withdrawn?.aborted === true ? { action: "cancel" as const } : put(params)));
          inTurn = answer;
          return answer;
        },
      }),
    ),
  };
  return call;
}

/** A client's word is checked by whoever asked; here it need only be an answer at all. */
function asAnswer(response: unknown): ElicitAnswer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action !== "accept" && action !== "decline") return { action: "cancel" };
  const isObject = content !== null && typeof content === "object";
  return isObject ? { action, content: content as Readonly<Record<string, unknown>> } : { action };
}
