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
