import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { RemoteContext } from "@toolpacks/core";
import { CallQuestions } from "./call-questions.ts";
import type { CallTimer } from "./call-timers.ts";
import { cleanText } from "./clean-text.ts";
import type { Progress } from "./plain-calls.ts";

/** The time limit is `CallTimer`'s; the SDK's own cannot wait for a person. */
const noTimeout = 2_147_483_647;

interface Connection {
  readonly client: Client;
  /** The name under which the user configured the server. */
  readonly server: string;
}

/** One use of a server while it lasts: whose user may be asked, how long it may take, and what its caller hears of it. */
export class RunningCall {
  readonly timer: CallTimer;
  readonly client: Client;
  /** Undefined where the caller's user cannot be asked. */
  readonly questions: CallQuestions | undefined;
  /** Pending until the caller has heard of every step so far; undefined before there is one. */
  reported: Promise<void> | undefined;
  readonly #progress: RemoteContext["progress"];

  constructor({ elicit, progress }: RemoteContext, timer: CallTimer, { client, server }: Connection) {
    this.timer = timer;
    this.client = client;
    this.questions = elicit && new CallQuestions(elicit, server);
    this.#progress = progress;
  }

  /** Tells the caller of a step, after those before it. */
  report({ progress, total, message }: Progress): void {
    this.timer.restart();
    const words = message === undefined ? undefined : cleanText(message);
    const tell = () => this.#progress(progress, total, words);
    this.reported = this.reported === undefined ? tell() : this.reported.then(tell);
  }

  /** What the SDK's client takes. A plain call does without, since a signal costs it a tenth of its time. */
  get sdkOptions(): RequestOptions {
    return { signal: this.timer.signal, timeout: noTimeout, onprogress: (step) => this.report(step) };
  }
}
