import {
  ProtocolError,
  ProtocolErrorCode,
  type ElicitRequestParams,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import type { RemoteContext } from "@toolpacks/core";
import { questionParams } from "./question-params.ts";

/** Maximum questions of one call. */
const maxQuestions = 10;

interface AskingCall {
  /** Id of its caller. */
  readonly caller: string;
  /** Undefined when its user cannot be asked. */
  readonly questions: CallQuestions | undefined;
}

/**
 * The call for which a server asks a question. Over Streamable HTTP and in the 2026 protocol, the question is handled in the execution of its call.
 * Older servers over stdio do not say which call asks. Then it is the latest call whose user can be asked.
 *
 * @param current the call in whose execution the question is handled
 * @param running the calls on the connection
 * @throws ProtocolError when calls of several callers run, since a caller must not get the question of another one
 */
export function askingCall<Call extends AskingCall>(
  current: Call | undefined,
  running: readonly Call[],
): Call | undefined {
  if (current !== undefined) return running.includes(current) ? current : undefined;
  if (new Set(running.map(({ caller }) => caller)).size > 1) {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      'The question was not passed on: calls of several callers are running, and the server does not say which of them asks. With identity: "caller" in its block, each caller has a process of its own.',
    );
  }
  return running.findLast(({ questions }) => questions !== undefined);
}

/** The questions that a server asks the user during one call. */
export class CallQuestions {
  readonly #elicit: NonNullable<RemoteContext["elicit"]>;
  readonly #server: string;
  /** Created at the first question, since few calls ask. */
  #ended: AbortController | undefined;
  #count = 0;

  /** @param server the name under which the user configured the server */
  constructor(elicit: NonNullable<RemoteContext["elicit"]>, server: string) {
    this.#elicit = elicit;
    this.#server = server;
  }

  /**
   * Asks the user.
   *
   * @param signal fires when the server withdraws the question
   * @throws ProtocolError when the question must not be asked
   */
  async ask(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    this.#count += 1;
    if (this.#count > maxQuestions) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `The question was not passed on to the user: a call may ask at most ${maxQuestions} questions`,
      );
    }
    const asked = questionParams(params, this.#server);
    this.#ended ??= new AbortController();
    return (await this.#elicit(asked, AbortSignal.any([signal, this.#ended.signal]))) as ElicitResult;
  }

  /** Withdraws open questions, because the call has ended. */
  end(): void {
    this.#ended?.abort(new Error("the call that asked has ended"));
  }
}
