import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, ElicitResult, RequestOptions } from "@modelcontextprotocol/client";
import { traceMeta, type RemoteContext, untilAborted } from "@toolpacks/core";
import pLimit from "p-limit";
import { CallTimeout } from "./call-timeout.ts";
import { askingCall, CallQuestions } from "./call-questions.ts";
import { cleanText } from "./clean-text.ts";
import { Connection, type ConnectionHooks } from "./connection.ts";
import { disconnect } from "./disconnect.ts";
import { asToolError, describe, timeoutError } from "./failure.ts";
import { isConnectionLost, isSessionLost } from "./lost-connection.ts";
import type { UpstreamPlan } from "./options.ts";
import { serverLog } from "./server-log.ts";
import { withCause } from "./stop-cause.ts";

/** Consecutive timeouts after which the server is restarted. */
const maxTimeouts = 2;

/** Sends requests. `trace` holds the `_meta` of those that the use sends for its caller. */
type Use<T> = (
  client: Client,
  options: RequestOptions & { readonly signal: AbortSignal },
  trace: ReturnType<typeof traceMeta>,
) => Promise<T>;

/** A call in progress. */
interface Running {
  /** Id of its caller. */
  readonly caller: string;
  readonly client: Client;
  readonly timeout: CallTimeout;
  readonly questions: CallQuestions | undefined;
}

/** Turns off the SDK's timeout, which cannot be suspended during a question. */
const noTimeoutMs = 2_147_483_647;

/** The calls of one server, over a connection that is closed when idle. */
export class Session {
  readonly #plan: UpstreamPlan;
  readonly #connection: Connection;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #running: Running[] = [];
  /** The call in whose execution a message of the server is handled. */
  readonly #current = new AsyncLocalStorage<Running>();
  #idle: NodeJS.Timeout | undefined;
  #timeouts = 0;

  constructor(plan: UpstreamPlan, hooks: Pick<ConnectionHooks, "state" | "era" | "onConnected" | "onListChanged">) {
    this.#plan = plan;
    this.#limit = pLimit(plan.concurrency);
    this.#connection = new Connection(plan, {
      ...hooks,
      installHandlers: (client) => this.#installHandlers(client),
      enter: async () => plan.limit?.enter(this, plan),
      onFailed: () => plan.limit?.leave(this),
      onDropped: (client) => this.#dropped(client),
    });
  }

  /**
   * Uses the server when fewer than `concurrency` uses are in progress.
   *
   * @throws ToolError, or the reason of the caller's signal
   */
  run<T>(use: Use<T>, context: RemoteContext): Promise<T> {
    const result = this.#limit(() => {
      context.signal.throwIfAborted();
      return this.#attempt(use, context, true).finally(() => this.#plan.limit?.touch(this));
    });
    // A call that is cancelled in the queue or while connecting ends at once.
    return untilAborted(context.signal, result);
  }

  /** Whether it is used, or being connected for a use. */
  get isBusy(): boolean {
    return this.#limit.activeCount > 0;
  }

  /** Ends the connection. The next use opens another. */
  async end(): Promise<void> {
    this.#plan.limit?.leave(this);
    clearTimeout(this.#idle);
    const used = new Set(this.#running.map(({ client }) => client));
    await Promise.all([this.#connection.end(), ...[...used].map(disconnect)]);
  }

  async #attempt<T>(use: Use<T>, context: RemoteContext, again: boolean): Promise<T> {
    const client = this.#connection.client ?? (await this.#connection.open());
    // The SDK's client drops its transport when it closes.
    const { transport } = client;
    const timeout = new CallTimeout(this.#plan.timeoutSeconds * 1_000, context.signal);
    const questions = context.elicit && new CallQuestions(context.elicit, this.#plan.name);
    const running: Running = { caller: context.principal, client, timeout, questions };
    let reported: Promise<void> | undefined;
    const onprogress: RequestOptions["onprogress"] = ({ progress, total, message }) => {
      timeout.restart();
      reported = context.progress(progress, total, message === undefined ? undefined : cleanText(message));
    };
    this.#running.push(running);
    try {
      // Checked after connecting, so that a server started for a cancelled call stops when idle.
      context.signal.throwIfAborted();
      const options = { signal: timeout.signal, timeout: noTimeoutMs, onprogress };
      const result = await this.#current.run(running, () => use(client, options, traceMeta(context)));
      this.#connection.worked();
      this.#timeouts = 0;
      // The last progress notification must be sent before the response.
      await reported;
      return result;
    } catch (error) {
      context.signal.throwIfAborted();
      if (timeout.isOver) {
        this.#timeouts += 1;
        if (this.#timeouts >= maxTimeouts) this.#connection.drop(client, "it does not answer");
        throw timeoutError(this.#plan);
      }
      const isForgotten = isSessionLost(error, client);
      if (isForgotten && again) {
        this.#connection.forget(client);
        return await this.#attempt(use, context, false);
      }
      if (isForgotten || isConnectionLost(error)) this.#connection.drop(client, describe(error));
      throw withCause(asToolError(error, this.#plan), transport);
    } finally {
      timeout.stop();
      questions?.end();
      this.#running.splice(this.#running.indexOf(running), 1);
      if (client !== this.#connection.client) this.#closeIfUnused(client);
      if (this.#running.length === 0) this.#stopWhenIdle();
    }
  }

  /** Starts the idle timer anew. */
  #stopWhenIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.isBusy) return;
      this.#plan.log?.("debug", `stopped: not used for ${this.#plan.idleSeconds} s`);
      void this.end();
    }, this.#plan.idleSeconds * 1_000).unref();
  }

  #installHandlers(client: Client): void {
    const { log } = this.#plan;
    client.onerror = (error) => log?.("debug", `protocol: ${describe(error)}`);
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }): Promise<ElicitResult> => {
      const onClient = this.#running.filter((one) => one.client === client);
      const { questions, timeout } = askingCall(this.#current.getStore(), onClient) ?? {};
      if (questions === undefined || timeout === undefined) return { action: "cancel" };
      return timeout.suspend(() => questions.ask(params, mcpReq.signal));
    });
    const tell = serverLog(log);
    client.setNotificationHandler("notifications/message", ({ params }) => tell(params));
  }

  #dropped(client: Client): void {
    this.#plan.limit?.leave(this);
    this.#timeouts = 0;
    clearTimeout(this.#idle);
    this.#closeIfUnused(client);
  }

  /** Closes a dropped connection when no call uses it any more. */
  #closeIfUnused(client: Client): void {
    if (this.#running.every((one) => one.client !== client)) void client.close().catch(() => {});
  }
}
