import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { errorText, ToolError, withTimeout, type Failure } from "@toolpacks/core";
import type { Acceptance, Judgement, OfferChange } from "./acceptance.ts";
import { singleLine } from "./clean-text.ts";
import type { OfferCache } from "./offer-cache.ts";
import type { Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";
import { cliHint } from "./cli-hint.ts";
import { refusal } from "./refusal.ts";

/** An offer with its comparison. The same object until one of them changes. */
export interface Known extends Judgement {
  readonly offer: Offer;
}

/** Why a server cannot be used, and what to do about it. */
export type UpstreamProblem = Pick<Failure, "message" | "hint">;

/** A tool or prompt that is about to be used. */
interface UsedItem {
  readonly kind: OfferChange["kind"];
  /** The server's name for it. */
  readonly name: string;
  /** Its name here. */
  readonly shownName: string;
}

/** Files about one server. */
export interface OfferFiles {
  readonly cache: OfferCache;
  readonly acceptance: Acceptance;
}

const refreshPauseFactor = 9;
const maxRefreshPauseMs = 10_000;

/** Maximum changes and warnings of one offer that are logged. */
const maxLogged = 10;

interface OffersOptions {
  readonly plan: UpstreamPlan;
  readonly files: () => Promise<OfferFiles>;
  /** Connects, and then calls `refresh`. */
  readonly connect: () => Promise<void>;
}

/** What a server offers: from the cache at once, and from the server at each connection. */
export class Offers {
  readonly #options: OffersOptions;
  readonly #watchers = new Set<() => void>();
  #known: Known | undefined;
  #load: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  #firstAskDeadline: number | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  /** When the server may be asked again, in ms of `performance.now()`. */
  #nextRefresh = 0;
  /** Number of refreshes in progress. */
  #questions = 0;
  /** The connection whose tools are known. Undefined while they are requested, or when that failed. */
  #knownClient: Client | undefined;
  #problem: UpstreamProblem | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  get latest(): Known | undefined {
    return this.#known;
  }

  /** Why nothing is known, or why it may be outdated. */
  get problem(): UpstreamProblem | undefined {
    return this.#problem;
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** Reads memory or the cache, and does not ask the server. Never rejects. */
  async known(): Promise<Known | undefined> {
    this.#load ??= this.#readCache();
    await this.#load;
    return this.#known;
  }

  /** Reads memory or the cache, otherwise asks the server with a short timeout. Never rejects. */
  async get(): Promise<Known | undefined> {
    const known = await this.known();
    if (known !== undefined) return known;
    const asking = this.#ask();
    this.#firstAskDeadline ??= Date.now() + this.#options.plan.firstListTimeoutSeconds * 1_000;
    // The timeout starts at the first question, so that a server that hangs does not delay later calls.
    const ms = this.#firstAskDeadline - Date.now();
    if (ms > 0) await withTimeout(asking, { ms, onTimeout: () => {} });
    return this.#known;
  }

  /** Resolves when the offer is known or cannot be read. No timeout. */
  async ready(): Promise<void> {
    if ((await this.known()) === undefined) await this.#ask();
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#connect().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** Reads the offer of a connected server. Calls run one after another. */
  refresh(client: Client): Promise<void> {
    this.#questions += 1;
    this.#refreshing = this.#refreshing.then(() => this.#askInTurn(client)).finally(() => (this.#questions -= 1));
    return this.#refreshing;
  }

  /** Reads the offer after a pause in proportion to the last reading: a server that changes again and again takes a tenth of the time at most. */
  async #askInTurn(client: Client): Promise<void> {
    const pause = this.#nextRefresh - performance.now();
    if (pause > 0) await wait(pause, undefined, { ref: false });
    const began = performance.now();
    await this.#askClient(client);
    const duration = performance.now() - began;
    this.#nextRefresh = performance.now() + Math.min(refreshPauseFactor * duration, maxRefreshPauseMs);
  }

  /**
   * Checks that a tool or prompt of this connection is the accepted one, once the offer of the connection has been read. Checks nothing if changes are used.
   *
   * @throws ToolError when it is held back, or the offer cannot be read
   */
  async admit({ kind, name, shownName }: UsedItem, client: Client): Promise<void> {
    const { plan } = this.#options;
    if (plan.changes !== "hold") return;
    // Tries again to read an offer that could not be read.
    if (this.#knownClient !== client && this.#questions === 0) void this.refresh(client);
    for (let last: Promise<void> | undefined; last !== this.#refreshing; await last) last = this.#refreshing;
    if (this.#knownClient !== client) {
      const why = `${plan.name} did not list what it offers now, so its ${kind}s cannot be compared with the accepted ones: ${this.#problem?.message ?? "it stopped"}`;
      throw new ToolError("unavailable", why, "Try again later, or do without it.");
    }
    const change = this.#known?.changes.find((one) => one.kind === kind && one.name === name);
    if (change !== undefined) throw refusal(plan, change, shownName);
  }

  async accept(): Promise<void> {
    if (this.#known === undefined) return;
    const { offer } = this.#known;
    const { acceptance } = await this.#options.files();
    await acceptance.accept(offer);
    await this.#set(offer);
  }

  async #connect(): Promise<void> {
    try {
      await this.#options.connect();
      await this.#refreshing;
    } catch (error) {
      this.#problem = problemOf(error);
    }
  }

  async #readCache(): Promise<void> {
    const { cache, acceptance } = await this.#options.files();
    const offer = await cache.read();
    if (offer === undefined || this.#known !== undefined) return;
    try {
      this.#setKnown(await this.#judge(offer, acceptance), acceptance);
    } catch (error) {
      this.#problem = problemOf(error);
    }
  }

  async #askClient(client: Client): Promise<void> {
    const { plan, files } = this.#options;
    this.#knownClient = undefined;
    try {
      const [{ askForOffer }, { cache }] = await Promise.all([import("./offer.ts"), files()]);
      const offer = await askForOffer(client, plan);
      this.#problem = undefined;
      const isKnown = JSON.stringify(offer) === JSON.stringify(this.#known?.offer);
      if (!isKnown) {
        await this.#set(offer);
        await this.#warn(offer);
      }
      this.#knownClient = client;
      if (!isKnown) await cache.write(offer);
    } catch (error) {
      this.#problem = problemOf(error);
      plan.log?.("warn", this.#problem.message);
    }
  }

  async #set(offer: Offer): Promise<void> {
    const { acceptance } = await this.#options.files();
    const known = await this.#judge(offer, acceptance);
    this.#setKnown(known, acceptance);
    this.#logChanges(known);
    for (const changed of this.#watchers) changed();
  }

  #setKnown(known: Known, acceptance: Acceptance): void {
    this.#known = known;
    // The user accepts in another process.
    if (known.changes.length > 0) this.#stopWatching ??= acceptance.watch(() => this.#compareAgain());
    else {
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    }
  }

  #compareAgain(): void {
    const set = async () => this.#known && (await this.#set(this.#known.offer));
    this.#refreshing = this.#refreshing.then(set).catch((error: unknown) => void (this.#problem = problemOf(error)));
  }

  async #judge(offer: Offer, acceptance: Acceptance): Promise<Known> {
    const { plan } = this.#options;
    try {
      return { offer, ...(await acceptance.judge(offer)) };
    } catch (error) {
      const message = `the file of its accepted tools cannot be read or written: ${problemOf(error).message}`;
      this.#problem = { message };
      // Without knowing what was accepted, nothing is trusted.
      if (plan.changes === "hold") throw new ToolError("unavailable", message);
      return { offer, changes: [], hints: new Map() };
    }
  }

  #logChanges({ changes }: Known): void {
    const { plan } = this.#options;
    if (changes.length === 0) return;
    const shown = changes.slice(0, maxLogged).map(({ name, parts }) => `${name} (${parts.join(", ") || "new"})`);
    const more = changes.length > maxLogged ? ` and ${changes.length - maxLogged} more` : "";
    const then =
      plan.changes === "hold"
        ? `held back until ${cliHint(plan, "accept")}`
        : `used as they are now; ${cliHint(plan, "accept")} accepts them`;
    plan.log?.("warn", singleLine(`changed since it was accepted: ${shown.join(", ")}${more}; ${then}`));
  }

  /** Logs what is suspicious in a new offer. */
  async #warn(offer: Offer): Promise<void> {
    const { log } = this.#options.plan;
    for (const { name, unusable } of offer.tools) {
      if (unusable !== undefined) log?.("warn", singleLine(`tool ${name} is left out: ${unusable}`));
    }
    for (const item of offer.leftOut ?? []) log?.("warn", singleLine(`left out of ${item}`));
    const { offerWarnings } = await import("./suspicious-text.ts");
    for (const { kind, name, findings } of offerWarnings(offer).slice(0, maxLogged)) {
      log?.("warn", singleLine(`${kind} ${name} contains ${findings.join(", ")}`));
    }
  }
}

export function problemOf(error: unknown): UpstreamProblem {
  const message = errorText(error);
  return { message, ...(ToolError.is(error) && error.hint !== undefined && { hint: error.hint }) };
}
