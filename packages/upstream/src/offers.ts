import type { Client } from "@modelcontextprotocol/client";
import { ToolError, type Failure } from "@toolpacks/core";
import type { Acceptance, Judgement, OfferChange } from "./acceptance.ts";
import { singleLine } from "./clean-text.ts";
import type { OfferCache } from "./offer-cache.ts";
import type { Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";
import { cliHint } from "./cli-hint.ts";

/** What a server offers, as it compares with what was accepted. One object until either is another. */
export interface Known extends Judgement {
  readonly offer: Offer;
}

/** Why a server cannot be used, and what to do about it. */
export type UpstreamProblem = Pick<Failure, "message" | "hint">;

/** What is kept of a server on disk. */
export interface OfferFiles {
  readonly cache: OfferCache;
  readonly acceptance: Acceptance;
}

/** Changes and warnings of one offer that are logged. */
const maxLogged = 10;

interface OffersOptions {
  readonly plan: UpstreamPlan;
  readonly files: () => Promise<OfferFiles>;
  /** Connects, which ends in `refresh`. */
  readonly connect: () => Promise<void>;
}

/** What a server offers: from the disk at once, and from the server whenever it is met. */
export class Offers {
  readonly #options: OffersOptions;
  readonly #watchers = new Set<() => void>();
  #known: Known | undefined;
  #load: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  #patientUntil: number | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  /** How many are on their way. */
  #questions = 0;
  /** The connection whose tools are known; undefined while it is asked for them, or did not say. */
  #met: Client | undefined;
  #problem: UpstreamProblem | undefined;
  #stopWatching: (() => void) | undefined;

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  get latest(): Known | undefined {
    return this.#known;
  }

  /** Why nothing is known, or what is known may be old. */
  get problem(): UpstreamProblem | undefined {
    return this.#problem;
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** From memory or disk; else asks the server, and waits for it a little. Never rejects. */
  async get(): Promise<Known | undefined> {
    this.#load ??= this.#readCache();
    await this.#load;
    if (this.#known !== undefined) return this.#known;
    const asking = this.#ask();
    this.#patientUntil ??= Date.now() + this.#options.plan.patienceSeconds * 1_000;
    // Waited for at the beginning only: a server that hangs costs the others nothing after that.
    await within(asking, this.#patientUntil - Date.now());
    return this.#known;
  }

  /** Waits until something is known, or it cannot be: however long a server takes. */
  async ready(): Promise<void> {
    this.#load ??= this.#readCache();
    await this.#load;
    if (this.#known === undefined) await this.#ask();
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#connect().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** Asks the server that was just met. Calls that follow one another are answered one after another. */
  refresh(client: Client): Promise<void> {
    this.#questions += 1;
    this.#refreshing = this.#refreshing.then(() => this.#askClient(client)).finally(() => (this.#questions -= 1));
    return this.#refreshing;
  }

  /**
   * Resolves to how a tool of a connection differs from what was accepted of it, once what it offers has been read.
   *
   * @throws ToolError when it does not say what it offers
   */
  async changeOf(tool: string, client: Client): Promise<OfferChange | undefined> {
    // One that did not say may do so now.
    if (this.#met !== client && this.#questions === 0) void this.refresh(client);
    for (let last: Promise<void> | undefined; last !== this.#refreshing; await last) last = this.#refreshing;
    if (this.#met === client) return this.#known?.changes.find(({ kind, name }) => kind === "tool" && name === tool);
    const { name } = this.#options.plan;
    const why = `${name} does not say what it offers now, so its tools cannot be compared with those accepted: ${this.#problem?.message ?? "it stopped"}`;
    throw new ToolError("unavailable", why, "Try again later, or do without it.");
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
      this.#know(await this.#judge(offer, acceptance), acceptance);
    } catch (error) {
      this.#problem = problemOf(error);
    }
  }

  async #askClient(client: Client): Promise<void> {
    const { plan, files } = this.#options;
    this.#met = undefined;
    try {
      const [{ askForOffer }, { cache }] = await Promise.all([import("./offer.ts"), files()]);
      const offer = await askForOffer(client, plan);
      this.#problem = undefined;
      const isKnown = JSON.stringify(offer) === JSON.stringify(this.#known?.offer);
      if (!isKnown) {
        await this.#set(offer);
        await this.#warn(offer);
      }
      this.#met = client;
      if (!isKnown) await cache.write(offer);
    } catch (error) {
      this.#problem = problemOf(error);
      plan.log?.("warn", this.#problem.message);
    }
  }

  async #set(offer: Offer): Promise<void> {
    const { acceptance } = await this.#options.files();
    const known = await this.#judge(offer, acceptance);
    this.#know(known, acceptance);
    this.#logChanges(known);
    for (const changed of this.#watchers) changed();
  }

  #know(known: Known, acceptance: Acceptance): void {
    this.#known = known;
    // The user accepts in another process.
    if (known.changes.length > 0) this.#stopWatching ??= acceptance.watch(() => this.#judgeAnew());
    else {
      this.#stopWatching?.();
      this.#stopWatching = undefined;
    }
  }

  #judgeAnew(): void {
    const set = async () => this.#known && (await this.#set(this.#known.offer));
    this.#refreshing = this.#refreshing.then(set).catch((error: unknown) => void (this.#problem = problemOf(error)));
  }

  async #judge(offer: Offer, acceptance: Acceptance): Promise<Known> {
    const { plan } = this.#options;
    try {
      return { offer, ...(await acceptance.judge(offer)) };
    } catch (error) {
      const message = `what was accepted of it cannot be read or kept: ${problemOf(error).message}`;
      this.#problem = { message };
      // Nothing is taken on trust when nobody can say what was trusted.
      if (plan.changes === "hold") throw new ToolError("unavailable", message);
      return { offer, changes: [], hints: new Map() };
    }
  }

  #logChanges({ changes }: Known): void {
    const { plan } = this.#options;
    if (changes.length === 0) return;
    const told = changes.slice(0, maxLogged).map(({ name, parts }) => `${name} (${parts.join(", ") || "new"})`);
    const more = changes.length > maxLogged ? ` and ${changes.length - maxLogged} more` : "";
    const then =
      plan.changes === "hold"
        ? `held back until ${cliHint(plan, "accept")}`
        : `used as they are now; ${cliHint(plan, "accept")} accepts them`;
    plan.log?.("warn", singleLine(`changed since it was accepted: ${told.join(", ")}${more}; ${then}`));
  }

  /** Logs what is suspicious in an offer that is seen for the first time. */
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
  const message = error instanceof Error ? error.message : String(error);
  return { message, ...(ToolError.is(error) && error.hint !== undefined && { hint: error.hint }) };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  if (ms <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
