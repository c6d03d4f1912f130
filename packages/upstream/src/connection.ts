import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { ToolError, untilAborted } from "@toolpacks/core";
import { singleLine } from "./clean-text.ts";
import { connect } from "./connect.ts";
import { disconnect } from "./disconnect.ts";
import { asToolError } from "./failure.ts";
import type { Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";
import type { RemoteState } from "./remote-state.ts";
import { whyStopped } from "./stop-cause.ts";

const minPauseMs = 500;
const maxPauseMs = 60_000;
/** A call waits at most this long for the next connection attempt. Otherwise it fails. */
const waitMs = 1_000;
const maxVersionCharacters = 200;

export interface ConnectionHooks {
  readonly state: RemoteState;
  /** The era of the last connection. */
  readonly era: () => Offer["era"] | undefined;
  /** Registers handlers on the client before it connects. */
  readonly installHandlers: (client: Client) => void;
  readonly onConnected: (client: Client) => void;
  readonly onListChanged: () => void;
  /** Awaited before a connection is opened. @throws ToolError when there are too many */
  readonly enter: () => Promise<void>;
  /** Called when a connection could not be opened. */
  readonly onFailed: () => void;
  /** Called when a connection cannot be used any more. Calls of it may still run. */
  readonly onDropped: (client: Client) => void;
}

/** The connection to one server: opened at the first use, and reopened with a backoff after a failure. */
export class Connection {
  readonly #plan: UpstreamPlan;
  readonly #hooks: ConnectionHooks;
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  /** The latest attempt, which may take a while to be aborted. */
  #attempt: Promise<Client> | undefined;
  #stop = new AbortController();
  /** Why it is down, and since how many attempts. */
  #failure: { readonly why: string; readonly advice?: string | undefined } | undefined;
  #failures = 0;
  #retryAt = 0;

  constructor(plan: UpstreamPlan, hooks: ConnectionHooks) {
    this.#plan = plan;
    this.#hooks = hooks;
  }

  /** The open connection. */
  get client(): Client | undefined {
    return this.#client;
  }

  /** The open connection, or the next. @throws ToolError while the server is down */
  async open(): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    const pause = this.#retryAt - Date.now();
    if (pause > waitMs) {
      const { why = "it stopped", advice } = this.#failure ?? {};
      const next = `It can be started again in ${Math.ceil(pause / 1_000)} s.`;
      throw new ToolError("unavailable", `${this.#plan.name} is down: ${why}`, advice ? `${advice}\n${next}` : next);
    }
    this.#connecting ??= this.#connect(pause).finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** Called after a response: the next failure begins a new series. */
  worked(): void {
    this.#failures = 0;
  }

  /** The next use opens another connection, at once. */
  forget(client: Client): void {
    if (this.#client === client) this.#client = undefined;
  }

  /** Drops a connection that cannot be used any more. The next use opens another, after a pause. */
  drop(client: Client, why: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#pauseAfter(why);
    this.#hooks.onDropped(client);
  }

  /** Ends the connection and the attempt to open one. The next use opens another. */
  async end(): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    const client = this.#client;
    this.#client = undefined;
    await Promise.all([this.#attempt?.catch(() => {}), client && disconnect(client)]);
  }

  async #connect(pause: number): Promise<Client> {
    const { signal } = this.#stop;
    await this.#hooks.enter();
    this.#attempt = this.#start(pause, signal);
    try {
      return await untilAborted(signal, this.#attempt);
    } catch (error) {
      this.#hooks.onFailed();
      if (signal.aborted) throw new ToolError("unavailable", `${this.#plan.name} was stopped`);
      const failure = asToolError(error, this.#plan);
      this.#pauseAfter(failure.message, failure.hint);
      throw failure;
    }
  }

  async #start(pause: number, signal: AbortSignal): Promise<Client> {
    const { log } = this.#plan;
    if (pause > 0) await wait(pause, undefined, { signal });
    const { state, era, installHandlers, onListChanged, onConnected } = this.#hooks;
    const client = await connect({ plan: this.#plan, state, era: era(), signal, installHandlers, onListChanged });
    if (signal.aborted) await disconnect(client);
    signal.throwIfAborted();
    const { transport } = client;
    client.onclose = () => this.drop(client, whyStopped(transport));
    this.#client = client;
    this.#failure = undefined;
    const version = singleLine(client.getServerVersion()?.version ?? "").slice(0, maxVersionCharacters);
    log?.("info", `${version} started, protocol ${client.getNegotiatedProtocolVersion()}`);
    onConnected(client);
    return client;
  }

  #pauseAfter(why: string, advice?: string): void {
    this.#failures += 1;
    this.#failure = { why, advice };
    this.#retryAt = Date.now() + Math.min(maxPauseMs, minPauseMs * 2 ** (this.#failures - 1));
    this.#plan.log?.("warn", why);
  }
}
