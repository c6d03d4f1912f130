import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import type { CallToolResult, Client, ElicitResult, RequestOptions, Tool } from "@modelcontextprotocol/client";
import { ToolError, traceMeta, type RemoteContext } from "@toolpacks/core";
import pLimit from "p-limit";
import { CallTimeout } from "./call-timeout.ts";
import { askingCall, CallQuestions } from "./call-questions.ts";
import { cleanText, singleLine } from "./clean-text.ts";
import { connect } from "./connect.ts";
import { disconnect } from "./disconnect.ts";
import { asToolError, describe, timeoutError } from "./failure.ts";
import { isConnectionLost, isSessionLost } from "./lost-connection.ts";
import type { Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";
import type { RemoteState } from "./remote-state.ts";
import { serverLog } from "./server-log.ts";
import { whyStopped, withCause } from "./stop-cause.ts";
import { untilAborted } from "./until-aborted.ts";

const minPauseMs = 500;
const maxPauseMs = 60_000;
/** A call waits at most this long for the next connection attempt. Otherwise it fails. */
const waitMs = 1_000;
/** Consecutive timeouts after which the server is restarted. */
const maxTimeouts = 2;

const maxVersionCharacters = 200;

interface Hooks {
  readonly state: RemoteState;
  /** The era of the last connection. */
  readonly era: () => Offer["era"] | undefined;
  readonly onConnected: (client: Client) => void;
  readonly onListChanged: () => void;
}

interface ToolCall {
  readonly params: { readonly name: string; readonly arguments: Record<string, unknown> };
  /** Has no output schema: results pass through unchecked. */
  readonly toolDefinition: Tool;
  /** Awaited on the connection of the call. @throws ToolError when the call is not allowed */
  readonly admit?: ((client: Client) => Promise<void>) | undefined;
}

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

/** The connection to one server: opened at the first use, closed when idle, reopened with a backoff after a failure. */
export class Session {
  readonly #plan: UpstreamPlan;
  readonly #hooks: Hooks;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #running: Running[] = [];
  /** The call in whose execution a message of the server is handled. */
  readonly #current = new AsyncLocalStorage<Running>();
  /** Number of uses in progress, those that wait for the connection included. */
  #uses = 0;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  /** The latest connection attempt, which may take a while to be aborted. */
  #starting: Promise<Client> | undefined;
  #stopConnecting = new AbortController();
  #idle: NodeJS.Timeout | undefined;
  #failures = 0;
  #timeouts = 0;
  #retryAt = 0;
  #problem: string | undefined;
  #advice: string | undefined;

  constructor(plan: UpstreamPlan, hooks: Hooks) {
    this.#plan = plan;
    this.#hooks = hooks;
    this.#limit = pLimit(plan.concurrency);
  }

  /**
   * Uses the server when fewer than `concurrency` uses are in progress.
   *
   * @throws ToolError, or the reason of the caller's signal
   */
  run<T>(use: Use<T>, context: RemoteContext): Promise<T> {
    const result = this.#limit(() => {
      context.signal.throwIfAborted();
      this.#uses += 1;
      return this.#attempt(use, context, true).finally(() => {
        this.#uses -= 1;
        this.#plan.limit?.touch(this);
      });
    });
    // A call that is cancelled in the queue or while connecting ends at once.
    return untilAborted(context.signal, result);
  }

  /**
   * Calls a tool as `run` does.
   *
   * @throws ToolError, or the reason of the caller's signal
   */
  call({ params, toolDefinition, admit }: ToolCall, context: RemoteContext): Promise<CallToolResult> {
    return this.run(async (client, options, trace) => {
      if (admit !== undefined) await untilAborted(options.signal, admit(client));
      return client.callTool({ ...params, ...trace }, { ...options, toolDefinition });
    }, context);
  }

  /** Whether it is used, or being connected for a use. */
  get isBusy(): boolean {
    return this.#uses > 0;
  }

  /** Ends the connection. The next use opens another. */
  async end(): Promise<void> {
    this.#plan.limit?.leave(this);
    this.#clearIdleTimer();
    this.#stopConnecting.abort();
    this.#stopConnecting = new AbortController();
    const clients = new Set(this.#running.map(({ client }) => client));
    if (this.#client !== undefined) clients.add(this.#client);
    this.#client = undefined;
    await Promise.all([this.#starting?.catch(() => {}), ...[...clients].map(disconnect)]);
  }

  async #attempt<T>(use: Use<T>, context: RemoteContext, again: boolean): Promise<T> {
    const client = this.#client ?? (await this.#connected());
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
      this.#failures = 0;
      this.#timeouts = 0;
      // The last progress notification must be sent before the response.
      await reported;
      return result;
    } catch (error) {
      context.signal.throwIfAborted();
      if (timeout.isOver) throw this.#timedOut(client);
      const isForgotten = isSessionLost(error, client);
      if (isForgotten && again) {
        if (this.#client === client) this.#client = undefined;
        return await this.#attempt(use, context, false);
      }
      if (isForgotten || isConnectionLost(error)) this.#drop(client, describe(error));
      throw withCause(asToolError(error, this.#plan), transport);
    } finally {
      timeout.stop();
      questions?.end();
      this.#running.splice(this.#running.indexOf(running), 1);
      if (client !== this.#client) this.#closeIfUnused(client);
      if (this.#running.length === 0) this.#stopWhenIdle();
    }
  }

  #timedOut(client: Client): ToolError {
    this.#timeouts += 1;
    if (this.#timeouts >= maxTimeouts) this.#drop(client, "it does not answer");
    return timeoutError(this.#plan);
  }

  /** Starts the idle timer anew. */
  #stopWhenIdle(): void {
    if (this.#idle !== undefined) {
      this.#idle.refresh();
      return;
    }
    this.#idle = setTimeout(() => {
      if (this.isBusy) return;
      this.#plan.log?.("debug", `stopped: not used for ${this.#plan.idleSeconds} s`);
      void this.end();
    }, this.#plan.idleSeconds * 1_000);
    this.#idle.unref();
  }

  #clearIdleTimer(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  async #connected(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const pause = this.#retryAt - Date.now();
    if (pause > waitMs) {
      const { name } = this.#plan;
      throw new ToolError(
        "unavailable",
        `${name} is down: ${this.#problem ?? "it stopped"}`,
        [this.#advice, `It can be started again in ${Math.ceil(pause / 1_000)} s.`].filter(Boolean).join("\n"),
      );
    }
    this.#connecting ??= this.#connect(pause).finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(pause: number): Promise<Client> {
    const { signal } = this.#stopConnecting;
    await this.#plan.limit?.enter(this, this.#plan);
    this.#starting = this.#start(pause, signal);
    try {
      return await untilAborted(signal, this.#starting);
    } catch (error) {
      this.#plan.limit?.leave(this);
      if (signal.aborted) throw new ToolError("unavailable", `${this.#plan.name} was stopped`);
      const failure = asToolError(error, this.#plan);
      this.#pauseAfter(failure.message, failure.hint);
      throw failure;
    }
  }

  async #start(pause: number, signal: AbortSignal): Promise<Client> {
    if (pause > 0) await wait(pause, undefined, { signal });
    this.#plan.admit?.();
    const { state, era, onConnected } = this.#hooks;
    const client = await connect({
      plan: this.#plan,
      state,
      era: era(),
      signal,
      installHandlers: (one) => this.#installHandlers(one),
      onListChanged: this.#hooks.onListChanged,
    });
    if (signal.aborted) await disconnect(client);
    signal.throwIfAborted();
    const { transport } = client;
    client.onclose = () => this.#drop(client, whyStopped(transport));
    this.#client = client;
    this.#problem = undefined;
    this.#plan.log?.(
      "info",
      `${singleLine(client.getServerVersion()?.version ?? "").slice(0, maxVersionCharacters)} started, protocol ${client.getNegotiatedProtocolVersion()}`,
    );
    onConnected(client);
    return client;
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

  /** Drops a connection that cannot be used any more. */
  #drop(client: Client, why: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#plan.limit?.leave(this);
    this.#timeouts = 0;
    this.#clearIdleTimer();
    this.#pauseAfter(why);
    this.#closeIfUnused(client);
  }

  /** Closes a dropped connection when no call uses it any more. */
  #closeIfUnused(client: Client): void {
    if (this.#running.every((one) => one.client !== client)) void client.close().catch(() => {});
  }

  #pauseAfter(why: string, advice?: string): void {
    this.#failures += 1;
    this.#problem = why;
    this.#advice = advice;
    this.#retryAt = Date.now() + Math.min(maxPauseMs, minPauseMs * 2 ** (this.#failures - 1));
    this.#plan.log?.("warn", why);
  }
}
