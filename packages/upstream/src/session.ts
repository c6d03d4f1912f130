import { setTimeout as wait } from "node:timers/promises";
import type { CallToolResult, Client, ElicitResult, Tool } from "@modelcontextprotocol/client";
import { ToolError, type RemoteContext } from "@toolpacks/core";
import { CallTimers } from "./call-timers.ts";
import { ChildTransport } from "./child-transport.ts";
import { singleLine } from "./clean-text.ts";
import { connect, endOf, streamFailures } from "./connect.ts";
import { disconnect } from "./disconnect.ts";
import { asToolError, describe } from "./failure.ts";
import { isConnectionLost, isSessionLost } from "./lost-connection.ts";
import type { Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";
import type { ToolCall } from "./plain-calls.ts";
import { RunningCall } from "./running-call.ts";
import { serverLog } from "./server-log.ts";
import { Turns } from "./turns.ts";
import { untilAborted } from "./until-aborted.ts";

const shortestPauseMs = 500;
const longestPauseMs = 60_000;
/** A call waits this long for a server that is about to be tried again, rather than fail. */
const waitMs = 1_000;
/** So many calls in a row that took too long, and the server is started anew. */
const mostLate = 2;

const maxVersionCharacters = 200;

interface Hooks {
  readonly dataDirectory: string;
  /** What the server spoke when it was last met. */
  readonly era: () => Offer["era"] | undefined;
  readonly onConnected: (client: Client) => void;
  readonly onListChanged: () => void;
}

/** A call of a tool, and what it takes. */
interface ToolUse {
  readonly call: ToolCall;
  readonly definition: Tool;
  /** Waited for on the very connection that the call goes to. @throws ToolError when it must not */
  readonly admit?: ((client: Client) => Promise<void>) | undefined;
}

type Use<T> = (client: Client, running: RunningCall) => Promise<T>;

/** One server through its lives: connected at a use, stopped when idle, tried again after a pause when it fails. */
export class Session {
  readonly #plan: UpstreamPlan;
  readonly #hooks: Hooks;
  readonly #turns: Turns;
  readonly #timers: CallTimers;
  readonly #running: RunningCall[] = [];
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  /** The latest connection, which may take a while to be given up. */
  #starting: Promise<Client> | undefined;
  #stopConnecting = new AbortController();
  #idle: NodeJS.Timeout | undefined;
  #failures = 0;
  #late = 0;
  #retryAt = 0;
  #trouble: string | undefined;
  #advice: string | undefined;

  constructor(plan: UpstreamPlan, hooks: Hooks) {
    this.#plan = plan;
    this.#hooks = hooks;
    this.#turns = new Turns(plan.concurrency);
    this.#timers = new CallTimers(plan.timeoutSeconds * 1_000);
  }

  /**
   * Uses the server, in turn.
   *
   * @throws ToolError, or whatever the caller's signal was aborted with
   */
  run<T>(use: Use<T>, context: RemoteContext): Promise<T> {
    const isReady = this.#client !== undefined && this.#turns.hasRoom;
    const result = this.#inTurn(use, context);
    // Whoever uses the client sees to a caller who goes away meanwhile; this, to one who does while waiting for a turn or a connection.
    return isReady ? result : untilAborted(context.signal, result);
  }

  /**
   * Calls a tool, in turn.
   *
   * @throws ToolError, or whatever the caller's signal was aborted with
   */
  call({ call, definition, admit }: ToolUse, context: RemoteContext): Promise<CallToolResult> {
    return this.run(async (client, running) => {
      if (admit !== undefined) await untilAborted(running.timer.signal, admit(client));
      const { transport } = client;
      const callTool = (params: ToolCall & { readonly _meta?: Record<string, unknown> }) =>
        client.callTool(params, { ...running.sdkOptions, toolDefinition: definition });
      if (!(transport instanceof ChildTransport)) return callTool(call);
      const { calls } = transport;
      const { answer, cancel } = calls.send(call, (step) => running.report(step));
      running.timer.onend = cancel;
      const answered = await answer;
      if ("result" in answered) return answered.result;
      const { unread } = answered;
      return callTool({ ...call, _meta: unread }).finally(() => calls.forget(unread));
    }, context);
  }

  /** Ends what is running. A later use starts it again. */
  async end(): Promise<void> {
    this.#stopResting();
    this.#stopConnecting.abort();
    this.#stopConnecting = new AbortController();
    const clients = new Set(this.#running.map(({ client }) => client));
    if (this.#client !== undefined) clients.add(this.#client);
    this.#client = undefined;
    await Promise.all([this.#starting?.catch(() => {}), ...[...clients].map(disconnect)]);
  }

  async #inTurn<T>(use: Use<T>, context: RemoteContext): Promise<T> {
    const turn = this.#turns.take();
    if (turn !== undefined) await turn;
    try {
      context.signal.throwIfAborted();
      return await this.#attempt(use, context, true);
    } finally {
      this.#turns.giveBack();
    }
  }

  async #attempt<T>(use: Use<T>, context: RemoteContext, again: boolean): Promise<T> {
    const client = this.#client ?? (await this.#connected());
    // The SDK's client forgets its transport when that closes.
    const { transport } = client;
    const timer = this.#timers.start(context.signal);
    const running = new RunningCall(context, timer, { client, server: this.#plan.name });
    this.#running.push(running);
    try {
      // In here, so that a server that was started for nobody rests like any other.
      context.signal.throwIfAborted();
      const result = await use(client, running);
      this.#failures = 0;
      this.#late = 0;
      // The last step must not come after the end.
      if (running.reported !== undefined) await running.reported;
      return result;
    } catch (error) {
      context.signal.throwIfAborted();
      if (timer.isOver) throw this.#tooLate(client);
      const isForgotten = isSessionLost(error, client);
      if (isForgotten && again) {
        if (this.#client === client) this.#client = undefined;
        return await this.#attempt(use, context, false);
      }
      if (isForgotten || isConnectionLost(error)) this.#drop(client, describe(error));
      throw withCause(asToolError(error, this.#plan), transport);
    } finally {
      timer.stop();
      running.questions?.end();
      this.#running.splice(this.#running.indexOf(running), 1);
      if (client !== this.#client) this.#leave(client);
      if (this.#running.length === 0) this.#restWhenIdle();
    }
  }

  #tooLate(client: Client): ToolError {
    const { name, timeoutSeconds } = this.#plan;
    this.#late += 1;
    if (this.#late >= mostLate) this.#drop(client, "it does not answer");
    return new ToolError(
      "unavailable",
      `${name} took longer than ${timeoutSeconds} s, and the call was cancelled`,
      "It may have had an effect all the same.",
    );
  }

  /** The time begins anew at the end of each call. */
  #restWhenIdle(): void {
    if (this.#idle !== undefined) {
      this.#idle.refresh();
      return;
    }
    this.#idle = setTimeout(() => {
      if (this.#running.length > 0 || this.#connecting !== undefined) return;
      this.#plan.log?.("debug", `stopped: not used for ${this.#plan.idleSeconds} s`);
      void this.end();
    }, this.#plan.idleSeconds * 1_000);
    this.#idle.unref();
  }

  #stopResting(): void {
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
        `${name} is down: ${this.#trouble ?? "it stopped"}`,
        [this.#advice, `It is tried again in ${Math.ceil(pause / 1_000)} s.`].filter(Boolean).join("\n"),
      );
    }
    this.#connecting ??= this.#connect(pause).finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(pause: number): Promise<Client> {
    const { signal } = this.#stopConnecting;
    this.#starting = this.#start(pause, signal);
    try {
      return await untilAborted(signal, this.#starting);
    } catch (error) {
      if (signal.aborted) throw new ToolError("unavailable", `${this.#plan.name} was stopped`);
      const failure = asToolError(error, this.#plan);
      this.#pauseAfter(failure.message, failure.hint);
      throw failure;
    }
  }

  async #start(pause: number, signal: AbortSignal): Promise<Client> {
    if (pause > 0) await wait(pause, undefined, { signal });
    const { dataDirectory, era, onConnected } = this.#hooks;
    const client = await connect({
      plan: this.#plan,
      dataDirectory,
      era: era(),
      signal,
      prepare: (one) => this.#prepare(one),
      onListChanged: this.#hooks.onListChanged,
    });
    if (signal.aborted) await disconnect(client);
    signal.throwIfAborted();
    const { transport } = client;
    client.onclose = () => this.#drop(client, whyStopped(transport));
    this.#client = client;
    this.#trouble = undefined;
    this.#plan.log?.(
      "info",
      `${singleLine(client.getServerVersion()?.version ?? "").slice(0, maxVersionCharacters)} started, protocol ${client.getNegotiatedProtocolVersion()}`,
    );
    onConnected(client);
    return client;
  }

  #prepare(client: Client): void {
    const { log } = this.#plan;
    client.onerror = (error) => log?.("debug", `protocol: ${describe(error)}`);
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }): Promise<ElicitResult> => {
      // The protocol does not say for which call a local server asks; it is the latest one whose user can be asked.
      const caller = this.#running.findLast(({ questions }) => questions !== undefined);
      const { questions } = caller ?? {};
      if (caller === undefined || questions === undefined) return { action: "cancel" };
      return caller.timer.hold(() => questions.ask(params, mcpReq.signal));
    });
    const tell = serverLog(log);
    client.setNotificationHandler("notifications/message", ({ params }) => tell(params));
  }

  /** Lets go of a connection that is of no more use. */
  #drop(client: Client, why: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#late = 0;
    this.#stopResting();
    this.#pauseAfter(why);
    this.#leave(client);
  }

  /** Closes a connection that nobody will use, once nobody does. */
  #leave(client: Client): void {
    if (this.#running.every((one) => one.client !== client)) void client.close().catch(() => {});
  }

  #pauseAfter(why: string, advice?: string): void {
    this.#failures += 1;
    this.#trouble = why;
    this.#advice = advice;
    this.#retryAt = Date.now() + Math.min(longestPauseMs, shortestPauseMs * 2 ** (this.#failures - 1));
    this.#plan.log?.("warn", why);
  }
}

/** Where the server's process has ended, how it ended and what it wrote last. */
function withCause(failure: ToolError, transport: Client["transport"]): ToolError {
  const streamFailure = transport === undefined ? undefined : streamFailures.get(transport);
  if (streamFailure !== undefined) return streamFailure;
  const isEnded = transport instanceof ChildTransport && transport.end !== undefined;
  if (!isEnded || failure.code !== "unavailable") return failure;
  return new ToolError(failure.code, `${failure.message}: ${whyStopped(transport)}`, failure.hint);
}

function whyStopped(transport: Client["transport"]): string {
  if (!(transport instanceof ChildTransport)) return "it stopped";
  const { end, lastWords } = transport;
  const how = end === undefined ? "it stopped" : `it ${endOf(end)}`;
  return lastWords === "" ? how : `${how}; its last words: ${lastWords}`;
}
